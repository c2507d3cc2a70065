"use strict";
// Counted where a test finds them: data-errors of <html>.
{
  const root = document.documentElement;
  root.dataset.errors = "0";
  const count = () => { root.dataset.errors = String(Number(root.dataset.errors) + 1); };
  for (const kind of ["error", "unhandledrejection", "securitypolicyviolation"]) addEventListener(kind, count, true);
}

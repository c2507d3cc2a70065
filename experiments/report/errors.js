"use strict";
// Counts errors in data-errors of <html>, where a test reads them.
{
  const root = document.documentElement;
  root.dataset.errors = "0";
  const count = () => { root.dataset.errors = String(Number(root.dataset.errors) + 1); };
  for (const kind of ["error", "unhandledrejection", "securitypolicyviolation"]) addEventListener(kind, count, true);
}

"use strict";
{
  const data = JSON.parse(document.getElementById("data").textContent);
  const link = document.getElementById("save");
  link.href = "data:text/csv;charset=utf-8," + encodeURIComponent(data.csv);
  link.hidden = false;

  const experiments = data.sweeps.flatMap((sweep) => sweep.experiments);
  const root = document.documentElement;
  root.dataset.points = String(experiments.flatMap((experiment) => experiment.points).length);
  root.dataset.figures = String(document.querySelectorAll("figure svg").length);
}

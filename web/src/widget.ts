// The page as a widget of Jupyter and marimo. A changed scenario becomes the widget's `scenario` in Python.

// The environment of the page must be set before the page is built.
import "./notebook";

import { model, navigate } from "./main";
import { kernel, leave } from "./notebook";
import type { Json, Scenario } from "./types";

let known = JSON.stringify(kernel.get("scenario"));

model.on((_event, slot) => {
  const scenario = model.variants.a?.scenario;
  const text = JSON.stringify(scenario);
  if (slot !== "a" || scenario === undefined || text === known) return;
  known = text;
  kernel.set("scenario", scenario as Json);
  kernel.save_changes();
});

function onScenario(): void {
  const scenario = kernel.get("scenario") as Scenario | null;
  const text = JSON.stringify(scenario);
  if (text === known) return;
  known = text;
  if (scenario) void navigate("explore", scenario);
}
kernel.on("change:scenario", onScenario);

export default (): void => {
  kernel.off("change:scenario", onScenario);
  model.stop();
  leave();
};

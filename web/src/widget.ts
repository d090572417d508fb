// The page as a widget of Jupyter and marimo. The scenario as it was turned is the widget's `scenario` in Python too.

import { go, model } from "./main";
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

function given(): void {
  const scenario = kernel.get("scenario") as Scenario | null;
  const text = JSON.stringify(scenario);
  if (text === known) return;
  known = text;
  if (scenario) void go("explore", scenario);
}
kernel.on("change:scenario", given);

export default (): void => {
  kernel.off("change:scenario", given);
  model.stop();
  leave();
};

// The types of scenarios and of the server's answers are generated: `python web/write_types.py`.

export type * from "./generated/answers";
export type { Json, Scenario } from "./generated/scenario";

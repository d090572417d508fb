// The interface between the server (python/headgate/explore) and this page, in one place.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
/** A scenario as docs/reference/scenario.schema.json describes it. The page hands it on and never looks inside. */
export type Scenario = { [key: string]: Json };

export interface ErrorBody {
  message: string;
  path: string | null;
  line: number | null;
}

export interface LessonName {
  name: string;
  title: string;
}

export interface Start {
  version: string;
  kind: "scenario" | "study" | "replay" | "papers" | "lessons";
  title: string;
  file: string | null;
  scenario: Scenario | null;
  controls: Control[];
  lessons: LessonName[];
}

export interface Control {
  path: string;
  label: string;
  group: string;
  kind: "number" | "quantity" | "choice" | "bool" | "text";
  /** As the scenario has it: of a quantity a text such as "80kbit/s". */
  value: Json;
  /** The same in `unit`; null where it has none, such as "1.5BDP". */
  number?: number | null;
  unit: string | null;
  /** The limits; null where there is none. */
  low: number | null;
  high: number | null;
  /** A range worth turning. */
  from?: number | null;
  to?: number | null;
  log: boolean;
  step: number | null;
  choices: { value: Json; label: string }[] | null;
  help: string | null;
  main: boolean;
}

export interface FlowResult {
  name: string;
  control: string;
  workload: string | null;
  colour: number;
  weight: number | null;
  goodput_bps: number | null;
  share: number | null;
  ideal_share: number | null;
  rtt_ms: number | null;
  queueing_ms: number | null;
  lost: number | null;
  marks: number | null;
  retransmissions: number | null;
}

export interface PortResult {
  name: string;
  rate_bps: number | null;
  discipline: string;
  utilisation: number | null;
  drops: number | null;
  marks: number | null;
  mean_queue: number | null;
}

export interface NetNode {
  name: string;
  kind: string;
  x: number;
  y: number;
}

export interface NetLink {
  name: string;
  from: string;
  to: string;
  rate: number | string | null;
  port: string | null;
}

export interface ViewInfo {
  name: string;
  title: string;
  unit: string;
  stacked: boolean;
  steps: boolean;
  series: { name: string; flow: string | null }[];
}

export interface RunDone {
  run: string;
  digest: string;
  seed: number;
  replication?: number;
  duration: number;
  seconds: number;
  /** Of a preview: the time up to which it reaches. */
  until?: number;
  note?: string | null;
  more_flows?: number;
  flows: FlowResult[];
  ports: PortResult[];
  delay_under_load_ms: number | null;
  sentences: string[];
  network: { nodes: NetNode[]; links: NetLink[] };
  views: ViewInfo[];
}

export interface LessonDone extends RunDone {
  /** Null where the question cannot be answered yet. */
  right: boolean | null;
  why: string;
}

export interface SeriesData {
  view: string;
  unit: string;
  from: number;
  to: number;
  series: { name: string; t: number[]; y: (number | null)[] }[];
}

export interface Packet {
  id: number;
  flow: string;
  seq: number | null;
  arrived: number;
  left: number | null;
  dropped: number | null;
  bytes: number;
}

export interface PacketStory {
  packet: Packet;
  waited_behind: { flow: string; packets: number }[];
  decision: { rule: string; numbers: { name: string; value: number | string; unit: string | null }[] } | null;
  story: string[];
}

export interface NetworkState {
  queues: { port: string; packets: number; by_flow: number[] | { flow: string; packets: number }[] }[];
}

export interface Difference {
  metric: string;
  flow: string | null;
  a: number | null;
  b: number | null;
  difference: number | null;
  low: number | null;
  high: number | null;
  unit: string | null;
}

export interface Comparison {
  differences: Difference[];
  sentences: string[];
  changed: { path: string; a: Json; b: Json }[];
}

export interface Lesson {
  name: string;
  title: string;
  text: string[];
  turn: string;
  question: string;
  answers: string[];
  scenario: Scenario;
  view: string;
}

export interface Study {
  axes: { name: string; points: string[] }[];
  metrics: { name: string; label: string; unit: string }[];
  complete: boolean;
  flows?: string[];
}

export interface Grid {
  x: string[];
  y: string[];
  values: (number | null)[][];
  halves: (number | null)[][] | null;
  /** The number of the variant behind each cell; without it cells are numbered row by row. */
  variants?: (number | null)[][];
}

// What the server tells the elements, and what the scripts leave in the window for each other: known to every script
// here and in planviz/ui without an import, and read by `make check-js` alone. Names of classes are those of the scripts.

type Mode = "light" | "dark";
type Bytes = number;
type Milliseconds = number;
type Pixels = number;

// ---- planviz/render/theme.json

interface Tint {
  fill: string;
  border: string;
  text: string;
}

type Tinted = "badge" | "estimated" | "warning" | "problem" | "removed" | "inserted" | "moved";
type Plain = "surface" | "card" | "border" | "line" | "ink" | "muted" | "accent" | "edge" | "link";

type Colours = Record<Plain, string> &
  Record<Tinted, Tint> & { under: string[]; under_text: string; over: string[]; over_text: string };

interface Kind {
  label: string;
  light: string;
  dark: string;
  icon: string;
}

interface Theme {
  font: { family: string; fallback: string };
  layout: { gap_x: Pixels; gap_y: Pixels; fork_gap: Pixels; margin: Pixels; comfortable: Pixels };
  card: {
    width: Pixels;
    max_width: Pixels;
    roomy_width: Pixels;
    height: Pixels;
    bare_height: Pixels;
    line: Pixels;
    radius: Pixels;
    bar: { width: Pixels; inset: Pixels; radius: Pixels };
    icon: { x: Pixels; y: Pixels; size: Pixels };
    title: { x: Pixels; y: Pixels; size: Pixels };
    sub: { x: Pixels; y: Pixels; size: Pixels };
    number: { right: Pixels; y: Pixels; size: Pixels };
    badge: { height: Pixels; size: Pixels; padding: Pixels; gap: Pixels; right: Pixels };
    snug: {
      height: Pixels;
      gap_x: Pixels;
      fork_gap: Pixels;
      margin: Pixels;
      x: Pixels;
      right: Pixels;
      size: Pixels;
      most: Pixels;
      inset: Pixels;
    };
  };
  edge: { min: Pixels; max: Pixels; label: Pixels; dash: Pixels[] };
  link: { width: Pixels; dash: Pixels[]; bulge: Pixels; label: Pixels };
  badges: Record<string, "problem" | "warning" | undefined>;
  light: Colours;
  dark: Colours;
  icon_box: Pixels;
  kinds: Record<string, Kind>;
}

// ---- a plan (planviz/render/scene.py)

/** What stands before a text on a card, and the text. */
type Line = [lead: string, text: string];

type RowsAre = "measured" | "estimated" | "unknown";

/** Columns by the index of a node, parents before their inputs. */
interface SceneNodes {
  id: number[];
  x: Pixels[];
  y: Pixels[];
  w: Pixels[];
  h: Pixels[];
  /** Index into `Scene.kinds`. */
  kind: number[];
  op: string[];
  title: string[];
  /** Null while the words of a large plan are still to come. */
  sub: Line[][] | null;
  /** Index, -1 for a root. */
  parent: number[];
  /** "c" for an input, "s" for a subquery. */
  edge: string[];
  depth: number[];
  /** Lines of the text, from 1; 0 where none is known. */
  first: number[];
  last: number[];
  /** Stage of generated code, -1 for none. */
  codegen: number[];
  number: (number | string)[];
  badges: string[][];
  rows: (number | null)[];
  /** 0 as `rows_are` says, 1 what formulas would give, 2 at most. */
  sign?: number[];
  bytes: (Bytes | null)[];
}

interface Scene {
  version?: number;
  title: string;
  stage?: string;
  notes: string[];
  size: [width: Pixels, height: Pixels];
  kinds: string[];
  nodes: SceneNodes;
  rows_are: RowsAre;
  /** On the Cardinality page: whether the cards are of one line. */
  line?: boolean;
  links: [from: number, to: number, type: string][];
  /** Null while they are still to come. */
  details: Line[][] | null;
  exchanges?: number;
  short?: [word: string, text: string, node: number][];
}

/** What came later than the scene. */
interface SceneDetails {
  title?: string[];
  sub?: Line[][];
  details?: Line[][];
  text?: string | null;
  findings?: Finding[];
}

interface Finding {
  /** Of the user's text. */
  line?: number | null;
  stake?: { amount: number; unit: string; measured: boolean };
  what_if?: { change: string; before: string; after: string };
  name?: string;
  severity: string;
  title: string;
  evidence?: string;
  why?: string;
  advice?: string;
  cost?: string;
  /** Ids of PlanGraph. */
  node: number | null;
  nodes?: number[];
}

interface Flip {
  short: string;
  outcome: string;
  words: string;
  cost: string;
  unsafe: boolean;
  asked: Partial<JoinsAsked>;
}

// ---- Explore (planviz/ui/explore, planviz/render/html.py)

interface Written {
  title: string;
  text: string;
}

interface WorkbenchData {
  key: string;
  scene: Scene;
  text?: string | null;
  theme: Theme;
  dark: boolean | null;
  findings: Finding[] | null;
  /** Index of the selected node. */
  selected: number | null;
  details_url?: string | null;
  why_url?: string | null;
  report_selection?: boolean;
  /** What the text is that the plan was made from: "SQL" or "Program". */
  written?: string | null;
}

type Page = "joins" | "aggregations" | "cardinality";

interface WhySection {
  heading: string;
  formula?: string;
  calculation?: string;
  lines: [mark: "yes" | "no" | "unknown" | "", words: string, seen: string][];
  /** The join's number, where changes can be asked for. */
  flips?: number;
  page?: Page;
  number?: number;
}

interface JoinInShort {
  operator: string;
  node: number;
  sides: string;
  reason: string;
  flips?: number;
  number?: number;
}

/** Why an operator is there, or the joins of a plan in short. */
interface WhyAnswer {
  sections?: WhySection[];
  /** What answers which changes would give a join another operator. */
  flips_url?: string;
  joins?: JoinInShort[];
  more?: number;
}

/** One change at a time: `more` says whether another one may be asked for. */
interface FlipAnswer {
  flip?: Flip | null;
  more?: boolean;
}

// ---- the step player (planviz/render/steps.py)

type Slot = number;

/** How a node looks: slot, kind, title, lines below, operator, words, badges, line of the user's text. */
type Look = [
  slot: Slot,
  kind: number,
  title: string,
  sub: Line[],
  op: string,
  words: number,
  badges: string[],
  line?: number,
];

interface StepScene {
  x: Pixels[];
  y: Pixels[];
  w: Pixels[];
  h: Pixels[];
  size: [width: Pixels, height: Pixels];
  looks: Look[];
  /** Pairs of look and slot above. */
  start: number[];
}

interface StepDelta {
  gone: Slot[];
  set: number[];
}

/** Pairs of tree marks and words, by their numbers. */
type TextLine = [prefix: number, words: number];

interface Step {
  rule: string;
  name: string;
  batch: number;
  scene: number;
  iteration?: number;
  milliseconds?: Milliseconds;
  matched?: string;
  to: StepDelta;
  from?: StepDelta;
  changed?: [slot: Slot, parts: Line[], confidence: number][];
  moved?: [before: Slot, after: Slot][];
  lines: [first: number, end: number, numbers: number[]][];
  before?: number[];
  output?: [before: number[], after: number[]];
}

interface Batch {
  name: string;
  steps: number[];
  executor?: string;
  silent?: string[];
}

interface FilterRows {
  words: string;
  columns: string[];
  rows: string[][];
  kept: boolean[];
}

interface Explained {
  rule: string;
  node: string;
  logic: [text: string, taken: boolean][];
  seen: [what: string, gave: string][];
  reason: string;
  rows?: FilterRows | null;
}

interface Trace {
  version: number;
  title: string;
  kinds: string[];
  batches: Batch[];
  totals: { effective: number; steps: number; rules?: number; passes?: number; runs?: number };
  words: string[];
  prefixes: string[];
  scenes: StepScene[];
  steps: Step[];
  explained?: Record<number, Explained[]>;
  beside?: Record<number, { words: string; lines: string[] }>;
}

interface RuleWords {
  what?: string;
  algebra?: string[];
  unsafe?: string[];
  example?: string;
  document?: string;
}

interface SilentRule extends RuleWords {
  needs: string[];
  runs: number;
  looked: number;
}

interface WhyNot {
  sentence: string;
  guards: { node: string; reason: string; value?: string | null }[];
  looked_at: string[];
}

interface WithoutRule {
  words: string;
  trace?: Trace | null;
}

interface SqlTexts {
  written: string | null;
  optimized: string | null;
  notes: string[];
}

interface RulesData {
  key: string;
  trace: Trace;
  theme: Theme;
  dark: boolean | null;
  cards?: Record<string, RuleWords>;
  /** Planned here: then rules can be switched off. */
  own?: boolean;
  without?: Record<string, WithoutRule>;
  fixed?: string[];
  /** From 1. */
  step?: number | null;
  exports?: string | null;
  sql?: SqlTexts | null;
  written?: Written | null;
  silent?: Record<string, SilentRule>;
  why?: Record<string, WhyNot | null>;
  waiting?: string;
  comparing?: boolean;
}

// ---- Compare (planviz/document/comparison/view.py)

type Cost = "worse" | "better" | "";

interface Cell {
  name: string;
  before: string;
  after: string;
  difference: string;
  percent: string;
  cost: Cost;
  measured: boolean;
}

interface Effect {
  words: string;
  label: string;
  cost: Cost;
  sure: string;
  since?: string;
  before: number[];
  after: number[];
}

interface ComparedPlans {
  trace: Trace;
  /** Slots by the id of an operator, of both plans. */
  slots: [Record<number, Slot>, Record<number, Slot>];
}

interface Differing {
  key: string;
  names: string[];
  headline: string;
  equal: boolean;
  total: string;
  all: ComparedPlans;
  few: ComparedPlans | null;
  effects: Effect[];
  cells: Cell[];
  operators: Record<string, Cell[]>;
  confidence: Record<string, number>;
  notes: string[];
  unsure: string;
}

interface Dressed {
  theme: Theme;
  dark: boolean | null;
}

interface ChainRow {
  name: string;
  measured?: boolean;
  values: string[];
}

/** A chain of plans: from each to the next, and from the first to the last. */
interface ChainData extends Dressed {
  key: string;
  chain: Differing[];
  names: string[];
  headline: string;
  rows: ChainRow[];
}

type CompareData = (Differing & Dressed & { chain?: undefined; rows?: undefined }) | ChainData;

// ---- Cardinality (planviz/ui/cardinality.py)

interface Calculated {
  name?: string;
  text?: string;
  spark?: string;
  calculation?: string;
}

interface EstimateStep {
  about: string;
  value: string;
  name?: string;
  calculation?: string;
  parts?: EstimateStep[];
}

interface EstimateCard {
  inherited?: boolean;
  label: string;
  rows: string | null;
  bytes: string | null;
  size_label?: string;
  imagined?: number | null;
  most?: number | null;
  measured?: number | null;
  formula?: Calculated | null;
  inputs?: Line[];
  steps?: EstimateStep[];
  steps_are?: string;
  size?: Calculated | null;
  size_inputs?: Line[];
  assumes?: Line[];
  columns?: { name: string; changes: [what: string, before: string, after: string][] }[];
  sources?: Line[];
}

interface EstimatedPlan {
  title: string;
  way: string;
  scene: Scene;
  cards: EstimateCard[];
  imagined: boolean;
  notes?: string[];
}

interface SlideAnswer {
  title: string;
  about: string;
  facts: string[];
  rows: [what: string, off: number | null, on: number | null, ours: (number | null)[], guessed: boolean][];
  joins: string[][];
  notes: string[];
}

interface Estimated {
  sides: EstimatedPlan[];
  /** Nodes that stand in both. */
  pairs: [number, number][];
  aligned: boolean;
  divergence: { side: number; node: number } | null;
  notes?: string[];
  /** In sentences. */
  problems?: string[];
  slide?: SlideAnswer;
  ms: { planned: Milliseconds; drawn: Milliseconds };
  message?: undefined;
}

type Figure = number | string | null;
type Figures = Record<string, Figure | undefined>;

interface TableEdits {
  rowCount?: Figure;
  sizeInBytes?: Figure;
  columns?: Record<string, Figures>;
}

type Edits = Record<string, TableEdits>;

interface EstimatesAsked {
  left: string;
  right: string;
  edits: Edits;
  factor?: number;
  measured?: string;
}

interface EstimatesData extends Dressed {
  key: string;
  ways: { id: string; title: string; short?: string | null }[] | null;
  usual: EstimatesAsked;
  tables: FigureTableData[] | null;
  exports: string | null;
  slides: SlideLink[] | null;
  asked: EstimatesAsked;
  answer: Estimated;
}

interface FigureTableData {
  name: string;
  rowCount?: number | null;
  sizeInBytes?: Bytes | null;
  guessed?: boolean;
  columns: { name: string; type: string; used: string[]; [field: string]: Figure | string[] | undefined }[];
}

interface SlideLink {
  title: string;
  about: string;
  href: string;
  open: boolean;
}

/** Numbers of relations, nested as they are joined. */
type JoinOrder = number | JoinOrder[];

type Candidate = [left: number[], right: number[], rows: number, bytes: Bytes, times: number | null];

interface OrderSet {
  order: JoinOrder;
  set: number[];
  chosen: boolean;
  count: number;
  candidates: Candidate[];
}

interface OrderLevel {
  level: number;
  candidates: number;
  sets: OrderSet[];
}

interface OrderSearch {
  relations: { name: string; rows: number | null; bytes: Bytes | null }[];
  weight: number;
  candidates: number;
  chosen: JoinOrder[] | null;
  cost: [rows: number, bytes: Bytes] | null;
  levels: OrderLevel[];
}

interface OrderAnswer {
  searches: OrderSearch[];
  refused: string[];
  message?: undefined;
}

type JoinAt = [name: string, operator: string];

interface Stretch {
  low: Bytes;
  high: Bytes;
  joins: JoinAt[];
}

interface CrossoverChange {
  relations: string;
  before: string | null;
  after: string | null;
  test: string | null;
  sawBefore: Record<string, number> | null;
  sawAfter: Record<string, number> | null;
}

interface SizesAnswer {
  tables: string[];
  stretches: Stretch[];
  crossovers: { at: Bytes; changes: CrossoverChange[] }[];
  now: Bytes;
  plans: number;
  seconds: number;
  message?: undefined;
}

/** A question that the server refuses, in a sentence for people. */
interface Refusal {
  message: string;
}

// ---- Joins (planviz/ui/joins.py)

type Hint = string | null;

interface JoinChanges {
  settings: Record<string, string | number | boolean>;
  sizes: Record<string, Bytes>;
  hints: Record<string, Hint[]>;
  types: Record<string, string>;
}

type JoinPart = keyof JoinChanges;

interface JoinsAsked extends JoinChanges {
  profile: string;
}

interface JoinSide {
  names: string;
  all: string;
  size: string;
  build: boolean;
}

interface JoinRow {
  n: number;
  op: string;
  operator: string;
  type: string;
  query?: string;
  left: JoinSide;
  right: JoinSide;
  on: string;
  reason: string;
  was?: string;
  /** What it ran as, where that is another operator than it was planned as. */
  ran?: string;
  line?: number;
}

interface JoinTest {
  title: string;
  condition: string;
  answer: "yes" | "no" | "unknown";
  seen?: string;
  setting?: string;
  /** Of its box in the drawing. */
  index: number | null;
}

interface Mechanism {
  op: string;
  words: string;
  sides: {
    names: string;
    role: "build" | "stream" | "";
    side: string;
    size: string;
    asks: string;
    put: { op: string; text: string; kind: string }[];
  }[];
  limits: [number: string, about: string, setting: string][];
}

interface JoinTold {
  n: number;
  heading: string;
  left: JoinSide;
  right: JoinSide;
  on: string;
  sizes?: string;
  because?: string;
  svg: string;
  path: JoinTest[];
  tests: number;
  rejected: { operator: string; reason: string }[];
  mechanism: Mechanism;
  tables?: undefined;
}

/** A join that was planned here: it may be asked to be otherwise. One that was read off a text has none of this. */
interface AskableJoin extends Omit<JoinTold, "tables"> {
  tables: { name: string; size: Bytes | null }[];
  hints: Hint[];
  known_hints: string[];
  type: string;
  types: [kind: string, words: string][];
  usual: { hints: Hint[]; type: string };
}

interface JoinsTold {
  rows: JoinRow[];
  join: JoinTold | AskableJoin | null;
  changed: number | null;
  before: number;
  chips: [tone: string, words: string, why: string][];
  what: string;
  asked?: JoinsAsked | null;
}

interface PlanDifference {
  words: [sign: string, words: string][];
  summary: string;
  svg: string;
}

interface JoinsData extends Dressed {
  profile?: string;
  key: string;
  ask: string;
  own: boolean;
  note: string;
  settings: Record<string, string | number | boolean>;
  first: number;
  told: JoinsTold;
  written?: Written | null;
}

// ---- an operator at work (planviz/mechanics/play.py)

interface PlayGroup {
  label: string;
  rows: number[];
}

interface PanelState {
  groups?: PlayGroup[];
  /** The row that a reader stands at. */
  at?: number | null;
}

interface PlayPanel {
  id: string;
  kind: string;
  title: string;
  role: string;
  column: number;
  columns: string[];
  keys: number;
  labelled: boolean;
}

interface PlayStep {
  kind: string;
  phase: number;
  text: string;
  compared?: [left: string, operator: string, right: string, verdict: string];
  state?: Record<string, PanelState>;
  marks?: [panel: string, row: number, mark: string][];
  links?: [panel: string, row: number, other: string, to: number][];
}

interface Play {
  operator: string;
  title: string;
  about: string;
  facts: Line[];
  notes: string[];
  phases: string[];
  panels: PlayPanel[];
  rows: { cells: (string | null)[]; of?: number[] }[];
  steps: PlayStep[];
}

interface MechanicsData extends Dressed {
  key: string;
  plays: Play[];
  play?: number | null;
  /** From 1. */
  step?: number | null;
}

// ---- Aggregations (planviz/ui/aggregate_views.py, planviz/document/rows/stage_cards.py)

interface AggregateRow {
  number: number;
  functions: string;
  keys: string;
  stages: number | string;
  shuffles: number | string;
  operators: string;
}

interface CardItem {
  text: string;
  aside?: string;
  tone?: string;
}

interface CardQuestion {
  text: string;
  answer?: string;
  seen?: string;
  ruled_out?: string;
}

interface CardPart {
  title: string;
  items: CardItem[];
  questions: CardQuestion[];
  outcome: string;
  figures: string;
  quiet: string;
  small: string[];
  is_many: boolean;
}

interface CardRows {
  caption: string;
  columns: [name: string, type: string][];
  partitions: [name: string, rows: (string | null)[][], told: string][];
}

interface StageCard {
  kind: "input" | "expand" | "stage";
  number: number | null;
  title: string;
  about: string;
  parts: CardPart[];
  rows: CardRows | null;
}

interface StageFlow {
  cards: StageCard[];
  between: { name: string; lines: string[]; sorts: boolean }[];
}

interface SampleTable {
  why: string;
  columns: string[];
  texts: string[][];
  made: string;
}

interface AggregateAsked {
  number: number;
  setting: string;
  rows: Record<string, string[]> | null;
  /** Groups that the memory holds, null for all. */
  room: number | null;
}

interface AggregateTold {
  number: number;
  setting: string;
  functions: string;
  keys: string;
  facts: string[];
  notes: Line[];
  flow: StageFlow;
  sample: SampleTable;
  tests: [question: string, answer: string, seen: string][];
  unseen: string;
  rejected: Line[];
  playable: boolean;
  /** Changes where the operators at work are others. */
  plays: string;
  hashed: boolean;
  /** What is wrong with the rows, and why none are known. */
  error: string;
  note: string;
  stopped?: undefined;
  message?: undefined;
}

interface AggregationsData extends Dressed {
  key: string;
  ask: string;
  rows: AggregateRow[];
  first: number;
  told: AggregateTold;
}

// ---- around the elements (planviz/ui)

/** planviz/ui/address.js says what each is. */
interface AddressData {
  query: string;
  view: string;
  node: number | string | null;
  button: boolean;
  part: string;
  visitor: string;
  stages?: Record<string, number | string>;
}

/** planviz/ui/box.js says what each is. */
interface BoxData {
  look: "box" | "small" | "drop";
  limit: number;
  error: { message: string; line?: number } | null;
  text?: string;
  taken?: number | string;
  planned?: Record<string, string>;
}

interface Badge {
  text: string;
  tone: string;
  title?: string;
}

type HistoryCell = string | { text: string; title?: string; tone?: string; bar?: number } | Badge[];

/** planviz/ui/history.js says what each is. */
interface HistoryData {
  columns: [label: string, kind: string][];
  ranked: number | null;
  rows: { open: string; cells: HistoryCell[] }[];
  selected: string | null;
  height: Pixels;
}

// ---- classes that others name

type Plan = import("./plan.js").Plan;
type Canvas = import("./canvas.js").Canvas;
type Steps = import("./steps.js").Steps;
type Panes = import("./panes.js").Panes;
type Workbench = import("./bench.js").Workbench;
type WhatIfs = import("./whatifs.js").WhatIfs;

/** Numbers by the index of a node or box. */
type Column = Int32Array | Uint8Array | Float64Array | number[];

/** What became of a node's card between two states of a plan. */
type Mark = "removed" | "inserted" | "moved" | "changed" | "was" | "is";

/** How cards stand out from others. */
interface CardStyle {
  fill: string | CanvasGradient;
  border: string | CanvasGradient;
  width?: Pixels;
  dash?: Pixels[];
}

/** What edges tell in the place of the scene's rows. */
interface Measure {
  /** Colours; 0 is none. */
  tints: string[];
  width: (node: number) => Pixels;
  tint: (node: number) => number;
  words: (node: number) => [text: string, colour: string][];
}

/** What stands on the picture beside its cards, by box. */
interface Overlay {
  marks: Map<number, Mark> | null;
  labels: Map<number, string> | null;
  ghosts: [box: number, above: number][] | null;
}

/** A state of a plan: look and slot above, by slot. Slots where nothing stands are holes. */
type StepState = [look: number, above: Slot][];

/** Where cards of a step stand, by slot. */
interface StepPlaces {
  x: Record<Slot, Pixels>;
  y: Record<Slot, Pixels>;
  w: Record<Slot, Pixels>;
  h: Record<Slot, Pixels>;
  size: [width: Pixels, height: Pixels];
  line?: boolean;
  root?: Pixels;
}

/** What a step changed, by slot. */
interface StepMarks {
  removed: Set<Slot>;
  inserted: Set<Slot>;
  /** Slot before -> slot after. */
  moved: Map<Slot, Slot>;
  changed: Map<Slot, Line[]>;
}

/** What the Cardinality page shows in its middle. */
type EstimatesView = "plans" | "order" | "sizes" | "slides";

/** How the step player and Compare show two states. */
type View = "split" | "merged" | "log" | "sql";

type Side = "before" | "after" | "merged";

interface Bounds {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

/** A line of two texts as one, and whose it is. */
type TextRow = [sign: " " | "-" | "+", line: TextLine];

/** Width and height of a view. */
type Room = [width: Pixels, height: Pixels];

/** How a plan is laid out in cards of one line. */
interface Snug {
  gap?: Pixels;
  width?: (box: number) => Pixels;
  /** The first input straight down. */
  down?: boolean;
  /** Short second inputs in one row. */
  lying?: boolean;
  /** As the scene has the cards. */
  placed?: boolean;
  line?: boolean;
}

/** What the canvas draws of a step. */
interface Picture {
  plan: Plan;
  slots: Slot[];
  marks: Map<number, Mark>;
  labels: Map<number, string>;
  ghosts: [box: number, above: number][];
}

/** What the timeline draws: a trace, or another run through steps. */
interface TimelineSteps {
  count: number;
  data: { batches: Batch[] };
  steps: { rule: string }[];
  weight(k: number): number;
  told?: (k: number) => string;
}

/** What the card of an estimate shows. */
interface EstimateTold {
  title: string;
  sub: Line[];
  card: EstimateCard;
  rows: number | null;
  bytes: Bytes | null;
  /** Of the plan beside it. */
  other: { rows: number | null | undefined; bytes: Bytes | null } | null;
}

/** How far an estimate is from what was measured. */
interface Miss {
  side: "under" | "over" | "right";
  factor: number;
}

/** One thing that is otherwise on the Joins page: where it is kept, its name, and in words. */
type JoinChange = [part: JoinPart | "profile", name: string, words: string];

/** Names of keys, and what they do. */
type KeyWords = [names: string[], words: string];

// ---- elements, and what mounts them

/** What Streamlit gives a component, or what another page calls. */
interface Mounted<Data> {
  data: Data | Uint8Array;
  parentElement: HTMLElement;
  setTriggerValue: (name: string, value: unknown) => void;
}

interface Handle<Data> {
  update(data: Data): void;
  destroy(): void;
  remember?(): void;
}

interface Callbacks {
  wholePage?: boolean;
}

interface WorkbenchCallbacks extends Callbacks {
  onSelect?: (id: number | null, index: number) => void;
  report?: (id: number | null) => void;
  go?: (page: Page, number: number | null) => void;
}

interface RulesCallbacks extends Callbacks {
  ask?: (rule: string, what: "off" | "why") => void;
}

interface Camera {
  x: number;
  y: number;
  /** Pixels of the screen for one of the drawing. */
  k: number;
}

/** What an element shows is another node, step, join or aggregate of the document that `key` names. */
interface Chosen {
  id: number | string | null;
  key: string;
}

interface Shown {
  received?: Milliseconds;
  drawn?: Milliseconds | null;
  painted?: Milliseconds | null;
  nodes?: number;
  frames?: Milliseconds[];
  handle: unknown;
  planned?: { asked: Milliseconds; answered: Milliseconds; painted: Milliseconds } | null;
  stepped?: { k: number; asked: Milliseconds; drawn: Milliseconds; painted: Milliseconds } | null;
  asked?: { made: Milliseconds; answered: Milliseconds; painted: Milliseconds; whole: boolean } | null;
}

interface EarlyText {
  text: string;
  asked: boolean;
  focused: boolean;
  start: number;
  end: number;
}

/** What an element's selector finds is markup here, never a drawing's part. */
interface Element {
  closest(selectors: string): HTMLElement | null;
}

interface Window {
  /** For measurements and tests: what the element that was mounted last did, and when. */
  __planviz: Shown;
  /** planviz/ui/front.py: script and style of every element, what is fetched while nobody waits, the languages' files. */
  __planvizElements?: Record<string, [script: string, style: string]>;
  __planvizLater?: string[];
  __planvizTexts: Record<string, [module: string, messages: string]>;
  __planvizLanguage?: { language: string; part: string; told: (text: string) => string };
  /** Whose page this is, while one is open (address.js). */
  __planvizPlace?: { visitor: string; stages: Record<string, number | string> };
  __planvizAhead?: {
    show: (name: string, data: unknown, how?: { whole?: boolean }) => Promise<void>;
    clear: () => void;
  };
  __planvizEarly?: { take: () => EarlyText };
}

declare var __planvizLanguage: Window["__planvizLanguage"];

interface DocumentEventMap {
  "planviz:select": CustomEvent<Chosen>;
  "planviz:goto": CustomEvent<{ key: string; id: number | null }>;
  "planviz:mounting": CustomEvent;
  "planviz:painted": CustomEvent;
  "planviz:place": CustomEvent;
  "planviz:leaving": CustomEvent;
  "planviz:language": CustomEvent;
}

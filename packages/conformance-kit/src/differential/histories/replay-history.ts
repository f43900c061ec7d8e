import {
  beforeAllChanges,
  type Change,
  type ChangePosition,
  type ObjectId,
  type Repositories,
  seesAll,
  type Storage,
} from "@sallyport/storage";
import { sequentially } from "../../fixtures/concurrently.ts";
import { minute } from "../../fixtures/policy.ts";
import { ReplayedHistory } from "./replayed-history.ts";
import { type HistoryOutcome, type HistoryScenario, maxResults, type Step, type WritingStep } from "./step.ts";
import { comparedMembers, refusalOf, takeStep } from "./take-step.ts";

const rollbackSignal = new Error("rolled back");

/** Replays a history on an empty storage. `advance` moves the storage's clock by milliseconds. */
export async function replayHistory(
  storage: Storage,
  { steps }: HistoryScenario,
  advance: (milliseconds: number) => void,
): Promise<HistoryOutcome> {
  const history = new ReplayedHistory();
  const answers = await sequentially(steps, async (step) =>
    history.named(await answerTo(storage, step, history, advance)),
  );
  return { answers, end: history.named(await lookAround(storage.repositories, history)) };
}

async function answerTo(
  storage: Storage,
  step: Step,
  history: ReplayedHistory,
  advance: (milliseconds: number) => void,
): Promise<unknown> {
  const { repositories: r } = storage;
  switch (step.kind) {
    case "wait":
      advance(step.minutes * minute);
      return null;
    case "sweep":
      // The number of swept rows is implementation-defined.
      await r.sessions.sweep(maxResults);
      return null;
    case "forget":
      return r.deletion.sweep(step.minutes * minute, maxResults);
    case "transaction":
      return transact(storage, step.steps, history, step.rolledBack);
    case "delete":
    case "restore":
      return transact(storage, [step], history, false);
    default:
      return (await takeStep(r, step, history).catch(refusalOf)) ?? null;
  }
}

/** The answers of a transaction's steps, or the error code of the first refusal, which ends the transaction. */
async function transact(
  storage: Storage,
  steps: readonly WritingStep[],
  history: ReplayedHistory,
  fails: boolean,
): Promise<unknown> {
  const { length } = history.ids;
  const { sessions } = history;
  try {
    return await storage.transaction(async (r) => {
      // The storage may retry the work.
      history.ids.length = length;
      history.sessions = sessions;
      const answers = await sequentially(steps, async (step) => (await takeStep(r, step, history)) ?? null);
      if (fails) throw rollbackSignal;
      return answers;
    });
  } catch (error) {
    history.forgetSince(length);
    const created = steps.filter(({ kind }) => kind === "insert").length;
    while (history.ids.length < length + created) history.ids.push(null);
    history.sessions = sessions + steps.filter(({ kind }) => kind === "open").length;
    return error === rollbackSignal ? "rolled back" : refusalOf(error);
  }
}

/** The whole visible state, with ids. */
async function lookAround({ objects, deletion, locks, sessions }: Repositories, { ids }: ReplayedHistory) {
  const all = ids.filter((id): id is ObjectId => id !== null);
  const live = await objects.get(all, seesAll);
  const query = { classes: ["Item"] };
  const found = await objects.find(query, seesAll, { offset: 0, limit: maxResults });
  // One at a time: objects in the same call do not count as referrers of each other.
  const links = (
    await Promise.all(all.map((id) => deletion.referrers([id], { attributes: null, limit: maxResults })))
  ).flat();
  return {
    objects: await Promise.all(
      all.map(async (id) => {
        const object = live.find((each) => each.id === id);
        const left = await deletion.find({ kind: "id", id }, seesAll);
        return {
          id,
          object: object ? comparedMembers(object) : null,
          left: left && [left.kind, left.version],
          lock: (await locks.state(id))?.session ?? null,
        };
      }),
    ),
    found: found.objects.map(({ id }) => id),
    count: await objects.count(query, seesAll),
    links: links
      .map(({ id, attribute, target }) => `${ids.indexOf(id)} ${attribute} ${ids.indexOf(target)}`)
      .toSorted(),
    sessions: await sessions.count(),
    ...(await changesIn(objects)),
  };
}

/** All changes in pages, and how many of them are at most as late as the last forgotten one. Stamps themselves differ. */
async function changesIn(objects: Repositories["objects"]) {
  const all: Change[] = [];
  for (let after: ChangePosition = beforeAllChanges; ; after = all.at(-1) ?? after) {
    const query = { classes: ["Item"], after, upTo: Number.MAX_SAFE_INTEGER, limit: 3 };
    const { changes, swept } = await objects.changes(query);
    all.push(...changes);
    if (changes.length === 0)
      return {
        changes: all.map(({ id, version, kind, readers, readersBefore, reveals }) => [
          id,
          version,
          kind,
          readers,
          readersBefore,
          reveals,
        ]),
        swept: [swept > 0, all.filter(({ stamp }) => stamp <= swept).length],
      };
  }
}

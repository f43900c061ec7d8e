import { createStore, delMany, get, keys, promisifyRequest } from "idb-keyval";

/** Edits by the names of what they change. */
type Edits = ReadonlyMap<string, unknown>;

/** Edits of a form that was left without a save. */
export interface Draft<FormEdits extends Edits> {
  readonly edits: FormEdits;
  /** When the last of them was made, in milliseconds since 1970. */
  readonly at: number;
}

interface Person {
  readonly databaseName: string;
  readonly userId: string;
}

const store = createStore("sallyport-console-drafts", "drafts");

const prefixOf = ({ databaseName, userId }: Person): string => `${JSON.stringify([databaseName, userId])}:`;

/** Key of the draft of a form. Drafts are those of a person in a database. */
export const draftKey = (person: Person, form: string): string => `${prefixOf(person)}${form}`;

export const readDraft = async <FormEdits extends Edits>(key: string): Promise<Draft<FormEdits> | null> =>
  (await get<Draft<FormEdits>>(key, store)) ?? null;

/** Keeps the edits. Without any, the draft is erased. */
export const keepDraft = (key: string, edits: Edits): Promise<void> =>
  store("readwrite", (drafts) => {
    if (edits.size === 0) drafts.delete(key);
    else drafts.put({ edits, at: Date.now() } satisfies Draft<Edits>, key);
    // Without it, a browser undoes the write if the page ends before the answer.
    drafts.transaction.commit();
    return promisifyRequest(drafts.transaction);
  });

async function keysOf(person: Person): Promise<string[]> {
  const prefix = prefixOf(person);
  return (await keys<string>(store)).filter((key) => key.startsWith(prefix));
}

export const countDrafts = async (person: Person): Promise<number> => (await keysOf(person)).length;

/** Erases all drafts of a person, at the log-out. */
export const eraseDrafts = async (person: Person): Promise<void> => delMany(await keysOf(person), store);

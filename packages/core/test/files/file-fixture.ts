import { createHash } from "node:crypto";
import { AesGcmFileCipher, AesGcmKeyWrapping, NodeRandomSource, ThreadHashes } from "@sallyport/crypto";
import {
  builtInClasses,
  type ClassDefinition,
  type FileCipher,
  noFileCipher,
  passwordSession,
  type Repositories,
} from "@sallyport/storage";
import {
  administrationOf,
  type FilePolicy,
  type IncomingFile,
  noHooks,
  type ObjectHooks,
  type SessionContext,
  openFile,
  collectFiles,
  deleteObject,
  storeFile,
  beginUpload,
  storeChunk,
  finishUpload,
  type AppKeyContext,
  UploadHashes,
} from "../../src/index.ts";
import { digests, type Fixture, openFixture, policy, using } from "../fixture.ts";
import { sessionContext } from "../session-context.ts";

const fileDefinition = builtInClasses.find(({ name }) => name === "File") as ClassDefinition;

/** The cipher of files under a master key of this byte. */
export function fileCipherOf(byte: number, { encryptsNew = true, former = [] as readonly number[] } = {}): FileCipher {
  const [key, ...formerKeys] = [byte, ...former].map((each) => new Uint8Array(32).fill(each));
  return new AesGcmFileCipher(new AesGcmKeyWrapping(key as Uint8Array, formerKeys), { encryptsNew });
}

export const everything = [{ group: "*", permissions: ["read", "create", "write", "delete"] }] as const;

const hashes = new ThreadHashes();

/** The digests of uploads in a process that has seen no bytes yet. */
export function newUploadHashes(): UploadHashes {
  const after = (milliseconds: number, call: () => void) => {
    const timer = setTimeout(call, milliseconds).unref();
    return () => clearTimeout(timer);
  };
  return new UploadHashes({ hashes, now: () => Date.now(), after });
}

/** A database with files, two users who may do everything with them, and the services of files. */
export async function openFileFixture(
  change: Partial<FilePolicy> = {},
  {
    hooks = noHooks,
    clock = { ahead: 0 },
    fileCipher = noFileCipher,
  }: { hooks?: ObjectHooks; clock?: { ahead: number }; fileCipher?: FileCipher } = {},
) {
  const fixture = await openFixture({ files: { ...policy.files, ...change } }, () => clock.ahead, fileCipher);
  await fixture.define({ ...fileDefinition, rights: everything });
  const context = using(fixture.context, {
    objectHooks: hooks,
    hashes,
    uploadHashes: newUploadHashes(),
    random: new NodeRandomSource(),
  });
  const whole = { ...fixture, context };
  return { ...whole, clock, anna: await user(whole, "anna"), ben: await user(whole, "ben") };
}

export type FileFixture = Awaited<ReturnType<typeof openFileFixture>>;

/** A request of a user with an open session. */
export async function user<Context extends AppKeyContext>(
  fixture: Omit<Fixture, "context"> & { readonly context: Context },
  name: string,
): Promise<Context & SessionContext> {
  const { r, database, context } = fixture;
  const [userId] = (await fixture.insert({ className: "User", attributes: { Name: name } })) as [string];
  await r.accounts.create({ userId, loginName: name, secret: "none", administrator: false }, name);
  const { account } = await r.accounts.find({ id: userId }, []);
  const opened = { ...passwordSession(context.appKey.id, userId, []), digest: digests.sha256(name) };
  await r.sessions.open({ ...opened, secretVersion: account?.secretVersion ?? 0 }, database.policy.sessions);
  return sessionContext(fixture, { userId }, name);
}

export function bytes(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text));
}

/** A file that arrives in one piece, or in the given ones. */
export function incoming(
  content: string | AsyncIterable<Uint8Array>,
  change: Partial<IncomingFile> = {},
): () => Promise<IncomingFile> {
  const whole = async function* () {
    if (typeof content === "string") yield bytes(content);
    else yield* content;
  };
  return async () => ({ name: null, mediaType: null, bytes: whole(), fields: new Map(), ...change });
}

/** The text of a file, through `OpenFile`. */
export async function textOf(f: FileFixture, id: string, offset = 0, length?: number): Promise<string> {
  const opened = await openFile(f.anna, { kind: "id", id });
  return collected(await opened.read({ offset, length: length ?? opened.size - offset }));
}

export async function collected(content: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of content) parts.push(part);
  return Buffer.concat(parts).toString();
}

export async function allOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const each of items) found.push(each);
  return found;
}

/** The number of bytes that the database counts. */
export async function bytesCounted({ records }: Pick<Repositories, "records">): Promise<number> {
  const counts = await records.list<number>("storedBytes", { after: null, limit: 20 });
  return counts.reduce((sum, { value }) => sum + value, 0);
}

/** Removes the files that no object has. Returns their number. */
export async function removeUnused({ database }: FileFixture): Promise<number> {
  return (await collectFiles(administrationOf(database))).removed;
}

export function removeObject({ anna }: FileFixture, id: string, recycled: boolean): Promise<unknown> {
  return deleteObject(anna, byId(id), { recycled, expectedVersions: null });
}

export const md5 = (text: string) => createHash("md5").update(text).digest("hex");
export const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/** The error code of a call, or its result. */
export async function codeOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    (value) => value,
    (error) => error.code ?? error,
  );
}

/** Bytes that arrive when the test sends them. */
export class SlowBytes implements AsyncIterable<Uint8Array> {
  /** Resolves when the reader asks for the first bytes. */
  readonly started: Promise<void>;
  private readonly queue: (() => Uint8Array | null)[] = [];
  private wake: () => void = () => {};
  private start: () => void = () => {};

  constructor() {
    this.started = new Promise((resolve) => {
      this.start = resolve;
    });
  }

  send(text: string): this {
    this.queue.push(() => bytes(text));
    this.wake();
    return this;
  }

  end(): this {
    this.queue.push(() => null);
    this.wake();
    return this;
  }

  fail(error: Error): this {
    this.queue.push(() => {
      throw error;
    });
    this.wake();
    return this;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    this.start();
    for (;;) {
      const next = this.queue.shift();
      if (next === undefined) {
        await new Promise<void>((resolve) => {
          this.wake = resolve;
        });
        continue;
      }
      const sent = next();
      if (sent === null) return;
      yield sent;
    }
  }
}

export const byId = (id: string) => ({ kind: "id", id }) as const;

/** The parameters after the fixture. */
export type OtherParameters<Call extends (f: FileFixture, ...args: never) => unknown> =
  Parameters<Call> extends [FileFixture, ...infer Rest] ? Rest : never;

/** Stores a file in one step. Resolves with the id of its object. */
export async function storeText(f: FileFixture, text = "hello", change = {}, context = f.anna) {
  const { object } = await storeFile(context, incoming(text, { name: "plan.txt", ...change }));
  return object["~ObjectID"];
}

/** Uploads a whole file. Resolves with the id of the upload. */
export async function uploadText(f: FileFixture, text: string, context = f.anna, name: string | null = null) {
  const { uploadId } = await beginUpload(context);
  await storeChunk(context, uploadId, null, incoming(text, { name }));
  return uploadId;
}

export function finishText(
  f: FileFixture,
  uploadId: string,
  replaced: string | null = null,
  change = {},
  context = f.anna,
) {
  return finishUpload(context, uploadId, {
    replace: replaced === null ? null : byId(replaced),
    expectedVersions: null,
    serialization: undefined,
    ...change,
  });
}

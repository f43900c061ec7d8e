import { parentPort, workerData } from "node:worker_threads";
import { PGlite } from "@electric-sql/pglite";
import { type AnswerState, inspectAnswer, joinBytes, simpleQuery } from "../wire/wire-messages.ts";
import { DurableNodeFS } from "./durable-node-fs.ts";
import { MemoryClusterFS } from "./memory-cluster-fs.ts";
import {
  Deadline,
  type ThreadData,
  type WorkerReply,
  type WorkerRequest,
  type WorkerSettings,
} from "./worker-messages.ts";

// The thread of the database. It handles one request at a time: PGlite is synchronous and has one session.

if (parentPort === null) throw new Error("this module runs as a worker thread");
const port = parentPort;
const settings = workerData as ThreadData;
const deadline = new Deadline(settings.deadline);
const files = settings.clusterDirectory === undefined ? undefined : new DurableNodeFS(settings.clusterDirectory);
const checkpointQuery = simpleQuery("CHECKPOINT");
const sync = new Uint8Array([0x53, 0, 0, 0, 4]);
const resetStatements = [sync, simpleQuery("ROLLBACK"), simpleQuery("DISCARD ALL")];
let walBytesAtCheckpoint = 0;
let broken: string | undefined;

const pglite = await start();
if (pglite !== undefined) {
  const statementTimeout = sessionSetting(pglite, "statement_timeout");
  let done = Promise.resolve();
  port.on("message", (request: WorkerRequest) => {
    done = done
      .then(() => serve(pglite, request, statementTimeout))
      .catch((error: unknown) => send({ kind: "failed", reason: String(error) }));
  });
  send({ kind: "ready" });
}

async function start(): Promise<PGlite | undefined> {
  const fs = files ?? (settings.template && new MemoryClusterFS(settings.template));
  const errorLines: string[] = [];
  try {
    return await PGlite.create({
      ...(fs === undefined ? { dataDir: "memory://" } : { fs }),
      pgliteWasmModule: settings.compiled,
      startParams: startParameters(settings),
      onStderr: (text) => {
        errorLines.push(text);
        if (errorLines.length > 20) errorLines.shift();
        return false;
      },
    });
  } catch (error) {
    send({ kind: "refused", reason: [...errorLines, String(error)].join("\n") });
    return undefined;
  }
}

async function serve(database: PGlite, request: WorkerRequest, statementTimeout: () => number): Promise<void> {
  switch (request.kind) {
    case "exchange":
      return exchange(database, request.bytes, request.settles, statementTimeout());
    case "refresh":
      for (const statement of resetStatements) if (broken === undefined) await judge(database, statement, true);
      return answer(new Uint8Array(0), broken);
    case "dump":
      await checkpoint(database);
      return answer(new Uint8Array(await (await database.dumpDataDir("none")).arrayBuffer()));
    case "close":
      await database.close();
      answer(new Uint8Array(0));
      port.close();
  }
}

async function exchange(database: PGlite, bytes: Uint8Array, settles: boolean, limit: number): Promise<void> {
  if (broken !== undefined) return answer(new Uint8Array(0), broken);
  deadline.set(limit);
  const { output, ready } = await judge(database, bytes, settles);
  deadline.clear();
  answer(output, broken);
  if (broken === undefined && ready === "I" && checkpointDue()) await checkpoint(database);
}

/**
 * Never uses a server again that omits a due ReadyForQuery or reports a FATAL or PANIC error: PGlite would continue in
 * an undefined state, or loop forever.
 */
async function judge(
  database: PGlite,
  bytes: Uint8Array,
  settles: boolean,
): Promise<{ output: Uint8Array<ArrayBuffer>; ready: string | undefined }> {
  const { output, state, thrown } = await run(database, bytes);
  broken = state.fatal ?? thrown ?? (settles && state.ready === undefined ? "it interrupted a response" : undefined);
  return { output, ready: state.ready };
}

async function run(
  database: PGlite,
  bytes: Uint8Array,
): Promise<{ output: Uint8Array<ArrayBuffer>; state: AnswerState; thrown: string | undefined }> {
  const chunks: Uint8Array[] = [];
  let thrown: string | undefined;
  try {
    // PGlite's other call keeps every parsed answer.
    await database.execProtocolRawStream(bytes, { syncToFs: false, onRawData: (data) => chunks.push(data.slice()) });
  } catch (error) {
    thrown = String(error);
  }
  const output = joinBytes(chunks);
  return { output, state: inspectAnswer(output), thrown };
}

/** Whether a checkpoint is due. The server has no checkpointer, so the log would grow until the close. */
function checkpointDue(): boolean {
  return files !== undefined && files.walBytes - walBytesAtCheckpoint >= settings.checkpointBytes;
}

async function checkpoint(database: PGlite): Promise<void> {
  walBytesAtCheckpoint = files?.walBytes ?? 0;
  await judge(database, checkpointQuery, true);
}

function answer(bytes: Uint8Array<ArrayBuffer>, stopped?: string): void {
  // A small array is copied faster than transferred.
  port.postMessage(
    { kind: "answer", bytes, stopped } satisfies WorkerReply,
    bytes.length > 65_536 ? [bytes.buffer] : [],
  );
}

function send(reply: WorkerReply): void {
  port.postMessage(reply);
}

/** The parts of the compiled database that read a setting. */
interface CompiledModule {
  readonly HEAPU8: Uint8Array;
  _malloc(bytes: number): number;
  _GetConfigOption(name: number, missingOk: 0 | 1, privileged: 0 | 1): number;
  UTF8ToString(pointer: number): string;
}

/**
 * Reads a session setting in its base unit, without a statement: in less than a microsecond, even within a failed
 * transaction.
 */
function sessionSetting(database: PGlite, name: string): () => number {
  const compiled = database.Module as unknown as CompiledModule;
  const text = Buffer.from(`${name}\0`);
  const pointer = compiled._malloc(text.length);
  compiled.HEAPU8.set(text, pointer);
  return () => Number(compiled.UTF8ToString(compiled._GetConfigOption(pointer, 0, 0)));
}

/**
 * The server's command line: PGlite's defaults, without `-F` (fsync off) for durable commits. The write-ahead log keeps
 * few 16 MB segments beyond a checkpoint's needs: it is not archived.
 */
function startParameters({
  durable,
  statementTimeout,
}: Pick<WorkerSettings, "durable" | "statementTimeout">): string[] {
  const inherited = PGlite.defaultStartParams.filter((parameter) => parameter !== "-F");
  const chosen = [
    "max_wal_size=64MB",
    "min_wal_size=32MB",
    `statement_timeout=${statementTimeout}`,
    ...(durable ? ["wal_sync_method=fsync"] : []),
  ];
  return [...inherited, ...(durable ? [] : ["-F"]), ...chosen.flatMap((setting) => ["-c", setting])];
}

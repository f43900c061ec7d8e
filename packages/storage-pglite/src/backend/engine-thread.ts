import { parentPort, workerData } from "node:worker_threads";
import { PGlite } from "@electric-sql/pglite";
import { inspectAnswer, type AnswerState } from "../wire/inspect-answer.ts";
import { joinBytes } from "../wire/join-bytes.ts";
import { simpleQuery } from "../wire/simple-query.ts";
import { Deadline } from "./deadline.ts";
import { DurableNodeFS } from "./durable-node-fs.ts";
import { sessionSetting } from "./session-setting.ts";
import { startParameters } from "./start-parameters.ts";
import type { ThreadData, WorkerReply, WorkerRequest } from "./worker-messages.ts";

// The thread the database runs in. One request at a time: PGlite computes synchronously and is one session.

if (parentPort === null) throw new Error("this module runs as a worker thread");
const port = parentPort;
const settings = workerData as ThreadData;
const deadline = new Deadline(settings.deadline);
const files = settings.clusterDirectory === undefined ? undefined : new DurableNodeFS(settings.clusterDirectory);
const checkpointQuery = simpleQuery("CHECKPOINT");
const sync = new Uint8Array([0x53, 0, 0, 0, 4]);
const afresh = [sync, simpleQuery("ROLLBACK"), simpleQuery("DISCARD ALL")];
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
  const complaints: string[] = [];
  try {
    return await PGlite.create({
      ...(files === undefined ? { dataDir: "memory://" } : { fs: files }),
      ...(settings.template === undefined ? {} : { loadDataDir: settings.template }),
      startParams: startParameters(settings),
      onStderr: (text) => {
        complaints.push(text);
        if (complaints.length > 20) complaints.shift();
        return false;
      },
    });
  } catch (error) {
    send({ kind: "refused", reason: [...complaints, String(error)].join("\n") });
    return undefined;
  }
}

async function serve(database: PGlite, request: WorkerRequest, statementTimeout: () => number): Promise<void> {
  switch (request.kind) {
    case "exchange":
      return exchange(database, request.bytes, request.settles, statementTimeout());
    case "refresh":
      for (const statement of afresh) if (broken === undefined) await judge(database, statement, true);
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
 * A server that answers no ReadyForQuery where one is due, or reports a FATAL or PANIC error, is never asked again:
 * PGlite would carry on with what is left of it, wrongly or in an endless loop.
 */
async function judge(
  database: PGlite,
  bytes: Uint8Array,
  settles: boolean,
): Promise<{ output: Uint8Array<ArrayBuffer>; ready: string | undefined }> {
  const { output, state, thrown } = await run(database, bytes);
  broken = state.fatal ?? thrown ?? (settles && state.ready === undefined ? "it broke off an answer" : undefined);
  return { output, ready: state.ready };
}

async function run(
  database: PGlite,
  bytes: Uint8Array,
): Promise<{ output: Uint8Array<ArrayBuffer>; state: AnswerState; thrown: string | undefined }> {
  const chunks: Uint8Array[] = [];
  let thrown: string | undefined;
  try {
    // PGlite's other call keeps every answer it ever parsed.
    await database.execProtocolRawStream(bytes, { syncToFs: false, onRawData: (data) => chunks.push(data.slice()) });
  } catch (error) {
    thrown = String(error);
  }
  const output = joinBytes(chunks);
  return { output, state: inspectAnswer(output), thrown };
}

/** The server has no checkpointer of its own: without this its log would grow until the close. */
function checkpointDue(): boolean {
  return files !== undefined && files.walBytes - walBytesAtCheckpoint >= settings.checkpointBytes;
}

async function checkpoint(database: PGlite): Promise<void> {
  walBytesAtCheckpoint = files?.walBytes ?? 0;
  await judge(database, checkpointQuery, true);
}

function answer(bytes: Uint8Array<ArrayBuffer>, stopped?: string): void {
  // A small array is copied faster than handed over.
  port.postMessage(
    { kind: "answer", bytes, stopped } satisfies WorkerReply,
    bytes.length > 65_536 ? [bytes.buffer] : [],
  );
}

function send(reply: WorkerReply): void {
  port.postMessage(reply);
}

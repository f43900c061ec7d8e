import { parentPort, workerData } from "node:worker_threads";
import { PGlite } from "@electric-sql/pglite";
import { inspectAnswer, type AnswerState } from "../wire/inspect-answer.ts";
import { joinBytes } from "../wire/join-bytes.ts";
import { simpleQuery } from "../wire/simple-query.ts";
import { DurableNodeFS } from "./durable-node-fs.ts";
import { startParameters } from "./start-parameters.ts";
import type { WorkerReply, WorkerRequest, WorkerSettings } from "./worker-messages.ts";

// The thread the database runs in. One request at a time: PGlite computes synchronously and is one session.

if (parentPort === null) throw new Error("this module runs as a worker thread");
const port = parentPort;
const settings = workerData as WorkerSettings;
const files = settings.clusterDirectory === undefined ? undefined : new DurableNodeFS(settings.clusterDirectory);
const checkpointQuery = simpleQuery("CHECKPOINT");
let walBytesAtCheckpoint = 0;
let broken: string | undefined;

const pglite = await start();
if (pglite !== undefined) {
  let done = Promise.resolve();
  port.on("message", (request: WorkerRequest) => {
    done = done
      .then(() => serve(pglite, request))
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
      startParams: startParameters(settings.durable),
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

async function serve(database: PGlite, request: WorkerRequest): Promise<void> {
  switch (request.kind) {
    case "exchange":
      return exchange(database, request.bytes, request.settles);
    case "dump":
      await checkpoint(database);
      return answer(new Uint8Array(await (await database.dumpDataDir("none")).arrayBuffer()));
    case "close":
      await database.close();
      answer(new Uint8Array(0));
      port.close();
  }
}

/**
 * A server that answers no ReadyForQuery where one is due, or reports a FATAL or PANIC error, is never asked again:
 * PGlite would carry on with what is left of it, wrongly or in an endless loop.
 */
async function exchange(database: PGlite, bytes: Uint8Array, settles: boolean): Promise<void> {
  if (broken !== undefined) return answer(new Uint8Array(0), broken);
  const { output, state, thrown } = await run(database, bytes);
  broken = state.fatal ?? thrown ?? (settles && state.ready === undefined ? "it broke off an answer" : undefined);
  answer(output, broken);
  if (broken === undefined && state.ready === "I" && checkpointDue()) await checkpoint(database);
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
  const { state, thrown } = await run(database, checkpointQuery);
  broken = state.fatal ?? thrown ?? (state.ready === undefined ? "it broke off a checkpoint" : undefined);
}

function answer(bytes: Uint8Array<ArrayBuffer>, stopped?: string): void {
  // A small array is copied faster than handed over.
  port.postMessage({ kind: "answer", bytes, stopped } satisfies WorkerReply, bytes.length > 65_536 ? [bytes.buffer] : []);
}

function send(reply: WorkerReply): void {
  port.postMessage(reply);
}

import { createCipheriv } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { objectIdOf } from "@sallyport/storage";
import {
  type BenchEnvironment,
  getRequests,
  type RunningServer,
  type Scenario,
} from "../comparison/bench-environment.ts";
import {
  type Candidate,
  compareCandidates,
  compared,
  type ComparisonResult,
  type Figures,
  median,
} from "../comparison/compare-candidates.ts";
import { logIn, logInRequest, SecureClient } from "../comparison/log-in.ts";
import { atLeast, atMost, type Outcome } from "../comparison/outcome.ts";
import { profiled } from "../comparison/profile.ts";
import {
  type Body,
  chunksOf,
  contentOf,
  exchange,
  FileClient,
  mebibyte,
  opened,
  receive,
  sealed,
} from "../processes/file-client.ts";
import { freePort } from "../processes/environment.ts";
import { MeasuredProcess } from "../processes/measured-process.ts";
import type { FileSettings } from "../processes/start-product.ts";

const maxRounds = 3;
/** Uploads at once beside reads, and the bytes of each. */
const uploads = 200;
const smallFile = 5 * mebibyte;
/** Milliseconds until an idle server settles. */
const rest = 2_000;

const limitFile = fileURLToPath(new URL("../limits/node-files.js", import.meta.url));

/** Uploads and downloads of a large file, the memory of the server during them, and reads beside many uploads. */
export const fileScenario: Scenario = {
  name: "files",
  async run(bench, plan) {
    const size = (plan.quick ? 64 : 1_024) * mebibyte;
    const folder = await mkdtemp(join(tmpdir(), "bench-files-"));
    const bare = await startBare(folder);
    try {
      const product = await ProductFiles.start(bench, { directory: join(folder, "files") });
      const encrypted = await ProductFiles.start(bench, { directory: join(folder, "encrypted"), encrypt: true });
      const transfers = [...(await product.transfers(size)), ...(await encrypted.transfers(size))];
      const rounds = { ...plan, rounds: Math.min(plan.rounds, maxRounds) };
      const result = await compareCandidates([...bareTransfers(bare, size), ...transfers], rounds);
      const read = await product.reads(bench);
      const beside = new BesideUploads(read, product);
      const latency = await compareCandidates([read, beside], plan);
      const memory = Math.max(...transfers.map(({ memoryGrowth }) => memoryGrowth));
      return [
        ...speeds(result, size),
        { scenario: "memory growth during transfers", unit: "MiB", ours: memory, bound: atMost(64) },
        slowdown(latency, read.name, beside.name),
        {
          scenario: "event-loop delay beside uploads, p99",
          unit: "ms",
          ours: beside.loopDelay(plan.rounds),
          bound: atMost(30),
        },
      ];
    } finally {
      await bare.process.stop();
      await rm(folder, { recursive: true });
    }
  },
};

const [bareUpload, bareDownload] = ["node:http with fsync", "node:http"];
/** By hand, with what the product adds to the bytes. */
const byHand = {
  chunks: "node:http with fsync, chunks and digests",
  sealedUpload: "node:http with fsync and AES-256-GCM",
  sealedDownload: "node:http with AES-256-GCM",
  secureUpload: "node:http with fsync and AES-256-CTR",
  secureDownload: "node:http with AES-256-CTR",
};

function speeds(result: ComparisonResult, size: number): Outcome[] {
  const limitOf = (ours: string) => (/upload|fsync/.test(ours) ? bareUpload : bareDownload);
  const line = (scenario: string, ours: string, wanted: number): Outcome =>
    compared(result, { scenario, ours, limit: limitOf(ours), unit: "MiB/s", bound: atLeast(wanted) });
  const file = `of ${(size / mebibyte).toLocaleString("en")} MiB`;
  return [
    line(`upload ${file} in one request`, "upload", 0.7),
    line("upload in chunks of 8 MiB", "upload in chunks", 0.6),
    line("upload in chunks without hashes", "upload in chunks without hashes", 0.6),
    line("upload in a secure session", "secure upload", 0.75),
    line("upload, encrypted at rest", "encrypted upload", 0.7),
    line(`download ${file}`, "download", 0.7),
    line("download in a secure session", "secure download", 0.75),
    line("download, encrypted at rest", "encrypted download", 0.7),
    ...Object.values(byHand).map((ours) =>
      compared(result, { scenario: ours, ours, limit: limitOf(ours), unit: "MiB/s" }),
    ),
  ];
}

function slowdown(result: ComparisonResult, alone: string, beside: string): Outcome {
  const [ours, limit] = [result.of(beside).p99, result.of(alone).p99];
  const scenario = `p99 of reads beside ${uploads} uploads of 5 MiB`;
  return { scenario, unit: "ms", ours, limit, limitName: "reads alone", ratio: ours / limit, bound: atMost(3) };
}

async function startBare(folder: string): Promise<RunningServer> {
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  const start = { mainFile: limitFile, arguments: [String(port), folder], readyAddress: address };
  return { address, process: await MeasuredProcess.start(start) };
}

function bareTransfers({ address, process }: RunningServer, size: number): Candidate[] {
  const put = async (path: string, body: Body) => receive(await exchange(`${address}${path}`, "PUT", {}, body), 0);
  const headers = { "content-length": String(size) };
  const send = (path: string, bytes = contentOf(size)) => put(path, { headers, bytes });
  const clientCipher = () => createCipheriv("aes-256-ctr", Buffer.alloc(32), Buffer.alloc(16));
  const sendChunks = async () => {
    for (const chunk of chunksOf(size)) await put("/digests", chunk);
  };
  const load = (path: string) => exchange(`${address}${path}`, "GET", {});
  const make = (name: string, run: () => Promise<void>) => new Transfer(name, { process, size, idleMemory: 0, run });
  return [
    make(bareUpload, () => send("/")),
    make(bareDownload, async () => receive(await load("/"), size)),
    make(byHand.chunks, sendChunks),
    make(byHand.sealedUpload, () => send("/aes-256-gcm")),
    make(byHand.sealedDownload, async () => receive(await load("/aes-256-gcm"), size)),
    make(byHand.secureUpload, () => send("/aes-256-ctr", sealed(clientCipher(), contentOf(size)))),
    make(byHand.secureDownload, async () => receive(opened(clientCipher(), await load("/aes-256-ctr")), size)),
  ];
}

interface TransferParts {
  readonly process: MeasuredProcess;
  /** Bytes of the file. */
  readonly size: number;
  /** Resident memory in bytes of the idle server. */
  readonly idleMemory: number;
  readonly run: () => Promise<void>;
  readonly cleanUp?: () => Promise<void>;
}

/** One transfer of a file at a time. */
class Transfer implements Candidate {
  /** The largest memory of all measurements beyond that of the idle server, in MiB. */
  memoryGrowth = 0;

  constructor(
    readonly name: string,
    private readonly parts: TransferParts,
  ) {}

  async measure(): Promise<Figures> {
    const { process, size, run, idleMemory, cleanUp } = this.parts;
    const before = await process.ask("sample");
    await process.ask("watchMemory");
    const startedAt = performance.now();
    await run();
    const time = performance.now() - startedAt;
    const peak = await process.ask("peakMemory");
    this.memoryGrowth = Math.max(this.memoryGrowth, (peak - idleMemory) / mebibyte);
    const { cpu } = await process.ask("sample");
    await cleanUp?.();
    const mebibytes = size / mebibyte;
    const perSecond = (mebibytes / time) * 1_000;
    return { perSecond, cpu: (cpu - before.cpu) / mebibytes, backendCpu: null, p50: time, p99: time };
  }

  profile(_seconds: number, directory: string): Promise<string> {
    const { process, size, run } = this.parts;
    return profiled(process, this.name, directory, () => run().then(() => size / mebibyte));
  }
}

/** The product with a folder for files. */
class ProductFiles {
  /** Paths of segments that stay. */
  private kept: readonly string[] = [];

  private constructor(
    readonly server: RunningServer,
    readonly client: FileClient,
    private readonly secureClient: FileClient,
    private readonly headers: Readonly<Record<string, string>>,
    private readonly files: FileSettings,
  ) {}

  static async start(bench: BenchEnvironment, files: FileSettings): Promise<ProductFiles> {
    const { appKey } = await bench.smallSchema();
    const server = await bench.startProduct({ "": "sallyport" }, { files });
    const { address } = server;
    const headers = { appkey: appKey, sessionid: await logIn(address, logInRequest(appKey, 1)) };
    const secure = await (await SecureClient.of(address, appKey)).logIn(address, 1);
    const secureClient = new FileClient(address, { appkey: appKey, "secure-token": secure.token }, secure);
    return new ProductFiles(server, new FileClient(address, headers), secureClient, headers, files);
  }

  /** Transfers of a file of this size. Stores the one of the downloads. */
  async transfers(size: number): Promise<Transfer[]> {
    const { client, secureClient, server, files } = this;
    await pause(rest);
    const { residentMemory: idleMemory } = await server.process.ask("sample");
    const stored = await client.uploadInChunks(size);
    this.kept = await this.segments();
    const make = (name: string, work: () => Promise<unknown>) => {
      const run = () => work().then(() => {});
      return new Transfer(name, { process: server.process, size, idleMemory, run, cleanUp: () => this.clear() });
    };
    const upload = () => client.upload(size);
    const download = () => client.download(stored, size);
    if (files.encrypt) return [make("encrypted upload", upload), make("encrypted download", download)];
    return [
      make("upload", upload),
      make("upload in chunks", () => client.uploadInChunks(size)),
      make("upload in chunks without hashes", () => client.uploadInChunks(size, { hash: false })),
      make("secure upload", () => secureClient.upload(size)),
      make("download", download),
      make("secure download", () => secureClient.download(stored, size)),
    ];
  }

  async reads(bench: BenchEnvironment): Promise<Candidate> {
    const { firstArticle, articles } = await bench.smallSchema();
    const paths = Array.from({ length: articles }, (_, place) => `/v1/object/${objectIdOf(firstArticle + place)}`);
    return bench.loaded(
      "read",
      this.server,
      getRequests(paths, () => this.headers),
    );
  }

  /** Removes the bytes of all uploads but the first. */
  async clear(): Promise<void> {
    for (const path of await this.segments()) if (!this.kept.includes(path)) await rm(path, { force: true });
  }

  private async segments(): Promise<string[]> {
    const entries = await readdir(this.files.directory, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  }
}

/** Reads beside uploads that never end. */
class BesideUploads implements Candidate {
  readonly name: string;
  private readonly delays: number[] = [];

  constructor(
    private readonly read: Candidate,
    private readonly product: ProductFiles,
  ) {
    this.name = `${read.name} beside uploads`;
  }

  async measure(seconds: number): Promise<Figures> {
    const { client, server } = this.product;
    const over = new AbortController();
    const upload = async () => {
      while (!over.signal.aborted) await client.upload(smallFile);
    };
    const uploading = Promise.all(Array.from({ length: uploads }, upload));
    // It is awaited after the reads. An earlier failure must not end the bench.
    uploading.catch(() => {});
    try {
      await server.process.ask("watchLoop");
      const figures = await this.read.measure(seconds);
      this.delays.push((await server.process.ask("loopDelay")).p99);
      return figures;
    } finally {
      over.abort();
      await uploading;
      await this.product.clear();
    }
  }

  /** The median over the rounds of the 99th percentile, in milliseconds. */
  loopDelay(rounds: number): number {
    return median(this.delays.slice(-rounds));
  }
}

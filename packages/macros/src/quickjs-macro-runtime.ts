import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import {
  type MacroDeclaration,
  type MacroHost,
  type MacroPlace,
  type MacroRuntime,
  type ModuleText,
  ServiceError,
} from "@sallyport/core";
import { Piscina } from "piscina";
import type { Seat } from "./places/seat.ts";
import { Seats, Turns } from "./places/seats.ts";
import { ThreadPlace } from "./places/thread-place.ts";

export interface QuickJsMacroRuntimeOptions {
  /** Threads at most, and so executions that run at a time. They start when they are needed, and end after half a minute without work. */
  readonly threads: number;
  /** How many executions may wait for a thread. */
  readonly queue: number;
  /** How far the threads stand back on Linux: 0 as all others, 19 as nobody else; 10 unless given. */
  readonly niceness?: number;
}

/** Requests come first, and yet a machine that is always busy starves no macro. */
const defaultNiceness = 10;
const IDLE = 30_000;
const MEBIBYTE = 1024 * 1024;

/** For the top level of a module. The time is also that in which TypeScript becomes JavaScript. */
const INSPECTION = { cpu: 2_000, timeout: 30_000, memory: 16 * MEBIBYTE, hostCalls: 0, resultBytes: 256 * 1024 };
const INSPECTION_WAIT = 30_000;

const nobody: MacroHost = {
  answer: () => Promise.reject(new ServiceError(799)),
  isCatchable: () => false,
  log: () => {},
};

/**
 * Runs macros in QuickJS, compiled to WebAssembly, in threads of low priority. An engine has no function of the system;
 * the one function that it can call takes texts, and the thread passes on what it has judged.
 */
export class QuickJsMacroRuntime implements MacroRuntime {
  private readonly options: QuickJsMacroRuntimeOptions;
  private readonly turns: Turns;
  private readonly seats: Seats;
  private pool: Promise<Piscina> | undefined;
  private closed = false;

  constructor(options: QuickJsMacroRuntimeOptions) {
    this.options = options;
    const { threads, queue } = options;
    this.seats = new Seats(
      async (service, port, signal) => {
        const pool = await (this.pool ??= this.openPool());
        return pool.run(service, { transferList: [port], signal });
      },
      { most: threads, idle: IDLE },
    );
    this.turns = new Turns((isHolding) => this.seats.take(isHolding), queue);
  }

  get load(): { readonly busy: number; readonly waiting: number } {
    return { busy: this.seats.busy, waiting: this.turns.waiting };
  }

  async inspect(
    text: ModuleText,
    language: "js" | "ts",
  ): Promise<{ readonly declaration: MacroDeclaration; readonly module: ModuleText }> {
    const place = await this.openPlace(INSPECTION_WAIT, false);
    try {
      const entry = { module: { ...text, checksInput: false }, driver: "declare", argument: null, limits: INSPECTION };
      const { result, code } = await place.inspect(entry, nobody, language);
      return { declaration: result as MacroDeclaration, module: { name: text.name, code: code as string } };
    } finally {
      place.release();
    }
  }

  reserve(wait: number, isHolding: boolean): Promise<MacroPlace> {
    return this.openPlace(wait, isHolding);
  }

  async close(): Promise<void> {
    this.closed = true;
    this.seats.close();
    await (await this.pool)?.destroy();
  }

  private async openPlace(wait: number, isHolding: boolean): Promise<ThreadPlace> {
    const until = performance.now() + wait;
    const admit = (): void => this.turns.admit();
    const giveBack = (seat: Seat): void => {
      this.seats.give(seat, isHolding);
      admit();
    };
    const replace = (seat: Seat): Promise<Seat> => {
      giveBack(seat);
      return this.takeSeat(Math.max(0, until - performance.now()), isHolding);
    };
    return new ThreadPlace(
      await this.takeSeat(wait, isHolding),
      { isOpen: () => !this.closed, admit, giveBack, replace },
      isHolding,
    );
  }

  private async takeSeat(wait: number, isHolding: boolean): Promise<Seat> {
    if (this.closed) throw stopping();
    const seat = await this.turns.enter(wait, isHolding);
    if (!this.closed) return seat;
    this.seats.give(seat, isHolding);
    // Those behind it hear of it as well.
    this.turns.admit();
    throw stopping();
  }

  /** The engine is compiled once, for all threads. */
  private async openPool(): Promise<Piscina> {
    const wasm = fileURLToPath(import.meta.resolve("@jitl/quickjs-wasmfile-release-sync/wasm"));
    const wasmModule = await WebAssembly.compile(await readFile(wasm));
    const pool = new Piscina({
      filename: new URL("threads/thread.js", import.meta.url).href,
      name: "serve",
      minThreads: 0,
      maxThreads: this.options.threads,
      workerData: { wasmModule, niceness: this.options.niceness ?? defaultNiceness },
      // Nothing of the server's surroundings.
      env: {},
      argv: [],
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 128 },
    });
    // Whoever sits on a thread that is lost hears of it.
    pool.on("error", () => {});
    return pool;
  }
}

function stopping(): ServiceError {
  return new ServiceError(706, { detail: "the server stops" });
}

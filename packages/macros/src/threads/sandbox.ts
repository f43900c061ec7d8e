import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import base from "@jitl/quickjs-wasmfile-release-sync";
import type { MacroModule } from "@sallyport/core";
import {
  type EvalDetectModule,
  EvalFlags,
  type JSContextPointer,
  type JSRuntimePointer,
  type JSValuePointer,
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSSyncVariant,
  type QuickJSWASMModule,
} from "quickjs-emscripten-core";
import type { Page } from "../prelude/packed-items.ts";
import { BoundedMemory, findLayout, Heap, MemoryImage, type MemoryLayout } from "./engine-memory.ts";

type Ffi = ReturnType<QuickJSWASMModule["getFFI"]>;

const STACK = 64 * 1024;
/** An engine that has grown beyond this is not kept. */
const LARGEST_KEPT = 32 * 1024 * 1024;
/** Before the names of modules that there are not. */
const REFUSED = "?";
const JOBS_AT_ONCE = 256;
const AS_MODULE = {
  detect: 0 as unknown as EvalDetectModule,
  flags: EvalFlags.JS_EVAL_TYPE_MODULE as unknown as Parameters<Ffi["QTS_Eval"]>[5],
};

/** Hears what the prelude says, while the sandbox runs. */
type Listener = (kind: string, first: string, second: string | undefined) => void;

/** Asked every few thousand steps of the engine; `true` stops what runs. */
type Interrupt = () => boolean;

type PreludeFunction = "enter" | "answered" | "failed" | "seed";

/**
 * An engine with the prelude in it. It serves one entry after the other, and each finds it as it was in the beginning:
 * what was made of it then is copied back.
 */
export class Sandbox {
  private readonly ffi: Ffi;
  private readonly heap: Heap;
  private readonly runtime: JSRuntimePointer;
  private readonly context: JSContextPointer;
  private readonly undefinedPointer: JSValuePointer;
  private readonly functions: ReadonlyMap<PreludeFunction, JSValuePointer>;
  /** Room for what calls of the engine give and take. */
  private readonly room: number;
  private readonly engine: QuickJSContext;
  private readonly layout: MemoryLayout;
  private readonly image: MemoryImage;
  /** With the validator of inputs, once it was needed. */
  private checkingImage: MemoryImage | undefined;
  private readonly memory: BoundedMemory;
  private listener: Listener = () => {};
  private interrupt: Interrupt = () => false;
  private sealed = false;
  private discarded = false;

  /** Takes some 30 ms. */
  static async create(wasmModule: WebAssembly.Module): Promise<Sandbox> {
    const memory = new BoundedMemory();
    const variant = newVariant(base as unknown as QuickJSSyncVariant, { wasmModule, wasmMemory: memory.memory });
    return new Sandbox(await newQuickJSWASMModuleFromVariant(variant), memory);
  }

  private constructor(engine: QuickJSWASMModule, bounded: BoundedMemory) {
    const { memory } = bounded;
    this.memory = bounded;
    this.ffi = engine.getFFI();
    this.heap = Heap.of(engine);
    this.layout = findLayout(memory, this.heap);
    const runtime = engine.newRuntime();
    runtime.setMaxStackSize(STACK);
    runtime.setInterruptHandler(() => this.interrupt());
    runtime.setModuleLoader(
      (name) =>
        this.sealed
          ? {
              error: new Error(
                `cannot import ${JSON.stringify(name.slice(REFUSED.length))}: there is "${AUTHORING}" and nothing else`,
              ),
            }
          : preludeModule(name),
      (from, name) => (this.sealed ? nameForStrangers(name) : preludeModuleName(from, name)),
    );
    const context = runtime.newContext();
    this.engine = context;
    // The pointers stand in members that the library keeps to itself.
    this.runtime = pointerIn(runtime, "rt");
    this.context = pointerIn(context, "ctx");
    this.undefinedPointer = context.undefined.value as JSValuePointer;
    this.functions = loadPrelude(context, (kind, first, second) => this.listener(kind, first, second));
    this.room = this.heap.allocate(64);
    this.sealed = true;
    this.image = new MemoryImage(memory, this.layout);
  }

  /** Makes everything as it was. False when the engine cannot be used again. */
  reset(): boolean {
    this.listener = () => {};
    this.interrupt = () => false;
    return !this.discarded && this.image.restore() && this.image.size <= LARGEST_KEPT;
  }

  /** Says that the engine broke: it is not used again. */
  discard(): void {
    this.discarded = true;
  }

  /** Loads a module and calls it by a driver. `seed`: 4 words for its random numbers. */
  enter(given: {
    readonly module: MacroModule;
    readonly driver: string;
    readonly argument: string;
    readonly page: Page | undefined;
    readonly memory: number;
    readonly seed: Int32Array;
    readonly listener: Listener;
    readonly interrupt: Interrupt;
  }): void {
    const { name, checksInput } = given.module;
    const image = checksInput ? this.withValidator() : this.image;
    this.listener = given.listener;
    this.interrupt = given.interrupt;
    this.memory.limit = image.endWith(given.memory);
    this.call("seed", ...[...given.seed].map((word) => this.ffi.QTS_NewFloat64(this.context, word)));
    const code = this.heap.put(given.module.code);
    const loaded = this.ffi.QTS_Eval(this.context, code.pointer, code.length, name, AS_MODULE.detect, AS_MODULE.flags);
    this.heap.free(code.pointer);
    const error = this.ffi.QTS_ResolveException(this.context, loaded);
    if (error) this.call("failed", error);
    else
      this.call(
        "enter",
        loaded,
        this.text(given.driver),
        this.text(given.argument),
        ...(given.page === undefined ? [] : [this.text(given.page.text), this.words(given.page.ends)]),
      );
  }

  /** Gives the sandbox the answer that it waits for. */
  answer(text: string | undefined, code: number | undefined): void {
    this.call(
      "answered",
      text === undefined ? this.undefinedPointer : this.text(text),
      code === undefined ? this.undefinedPointer : this.ffi.QTS_NewFloat64(this.context, code),
    );
  }

  /** Whether more memory is in use than may be. The engine notices for itself only when it would have to grow. */
  get isTooLarge(): boolean {
    return this.image.end > this.memory.limit;
  }

  get hasJobs(): boolean {
    return this.ffi.QTS_IsJobPending(this.runtime) !== 0;
  }

  /** Runs what is ready to run, or some of it. */
  runJobs(): void {
    this.ffi.QTS_ExecutePendingJob(this.runtime, JOBS_AT_ONCE, this.room as never);
  }

  private withValidator(): MemoryImage {
    if (this.checkingImage === undefined) {
      this.sealed = false;
      this.engine.unwrapResult(this.engine.evalCode(preludeModule(VALIDATOR_FILE), VALIDATOR_FILE, { type: "module" }));
      this.sealed = true;
      this.checkingImage = new MemoryImage(this.memory.memory, this.layout);
    } else this.checkingImage.restore();
    return this.checkingImage;
  }

  private text(text: string): JSValuePointer {
    const { pointer } = this.heap.put(text);
    const value = this.ffi.QTS_NewString(this.context, pointer);
    this.heap.free(pointer);
    return value;
  }

  /** An `ArrayBuffer`, to which the engine sees from now on. */
  private words(words: Int32Array): JSValuePointer {
    const pointer = this.heap.allocate(words.byteLength);
    this.heap.putWords(pointer, words);
    return this.ffi.QTS_NewArrayBuffer(this.context, pointer as never, words.byteLength);
  }

  /** Calls a function of the prelude, none of which throws unless the engine has no memory left, or is stopped. */
  private call(name: PreludeFunction, ...parts: readonly JSValuePointer[]): void {
    this.heap.putWords(this.room, parts);
    const { ffi, context, room } = this;
    const result = ffi.QTS_Call(
      context,
      this.functions.get(name) as JSValuePointer,
      this.undefinedPointer,
      parts.length,
      room as never,
    );
    const error = ffi.QTS_ResolveException(context, result);
    if (error) throw new SandboxExhausted();
    for (const part of parts) if (part !== this.undefinedPointer) ffi.QTS_FreeValuePointer(context, part);
    ffi.QTS_FreeValuePointer(context, result);
  }
}

/** What a name means in a module of a stranger. Modules of the prelude are loaded, and their own names would find them. */
function nameForStrangers(name: string): string {
  return name === AUTHORING ? AUTHORING_FILE : `${REFUSED}${name.slice(0, 200)}`;
}

/** The prelude itself could not go on. */
export class SandboxExhausted extends Error {
  override readonly name = "SandboxExhausted";
}

function pointerIn<Pointer>(owner: object, member: string): Pointer {
  return (owner as Record<string, { value: Pointer }>)[member]?.value as Pointer;
}

function loadPrelude(context: QuickJSContext, listener: Listener): ReadonlyMap<PreludeFunction, JSValuePointer> {
  const textIn = (handle: QuickJSHandle | undefined) =>
    handle === undefined || context.typeof(handle) !== "string" ? undefined : context.getString(handle);
  const send = context.newFunction("send", (kind, first, second) =>
    listener(textIn(kind) ?? "", textIn(first) ?? "", textIn(second)),
  );
  const prelude = context.unwrapResult(context.evalCode(preludeModule(MAIN_FILE), MAIN_FILE, { type: "module" }));
  context.unwrapResult(context.callFunction(context.getProp(prelude, "connect"), context.undefined, send)).dispose();
  const names: PreludeFunction[] = ["enter", "answered", "failed", "seed"];
  return new Map(names.map((name) => [name, context.getProp(prelude, name).value as JSValuePointer]));
}

const OURS = fileURLToPath(new URL("..", import.meta.url));
const SCHEMA = dirname(fileURLToPath(import.meta.resolve("@cfworker/json-schema")));

/** What a module of a stranger imports, and the only thing it can. */
const AUTHORING = "@sallyport/macros";

/** The file that this import gives; names of modules are paths, which no macro can be called. */
const AUTHORING_FILE = "/authoring/index.js";
const MAIN_FILE = "/prelude/main.js";

/** What modules need besides that hold inputs to a schema. */
const VALIDATOR_FILE = "/prelude/validator.js";

/** The sandbox knows no `URL`; the validator needs it for references such as `#/$defs/Address`. */
const URL_SHIM = `import { SchemaUrl as URL } from "/prelude/schema-url.js";\n`;

/** The name of the module that `imported` means in `importer`. */
function preludeModuleName(importer: string, imported: string): string {
  if (imported === "@cfworker/json-schema") return "/schema/index.js";
  return imported.startsWith(".") ? join(dirname(importer), imported) : imported;
}

/** The text of a module of the prelude. */
function preludeModule(name: string): string {
  if (!name.startsWith("/schema/")) return readFileSync(join(OURS, name), "utf8");
  const text = readFileSync(join(SCHEMA, name.slice("/schema/".length)), "utf8");
  return name === "/schema/dereference.js" ? URL_SHIM + text : text;
}

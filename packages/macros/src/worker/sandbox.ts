import { randomFillSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import base from "@jitl/quickjs-wasmfile-release-sync";
import {
  type EvalDetectModule,
  EvalFlags,
  type IsEqualOp,
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
import type { MacroModule } from "@sallyport/core";
import { CompiledModules } from "./compiled-modules.ts";
import { BoundedMemory, findLayout, Heap, MemoryImage } from "./memory-image.ts";
import type { Invoke } from "./messages.ts";

type Ffi = ReturnType<QuickJSWASMModule["getFFI"]>;

const STACK = 64 * 1024;
/** A larger engine is not reused. */
const MAX_KEPT_BYTES = 32 * 1024 * 1024;
/** Prefix of module names that cannot be resolved. */
const REFUSED = "?";
const JOB_BATCH = 256;
const AS_MODULE = {
  detect: 0 as unknown as EvalDetectModule,
  flags: EvalFlags.JS_EVAL_TYPE_MODULE as unknown as Parameters<Ffi["QTS_Eval"]>[5],
};
const STRICTLY = 0 as IsEqualOp;

/** Receives the prelude's messages while the sandbox runs. */
type Listener = (kind: string, first: string, second: string | undefined) => void;

/** Called every few thousand engine steps. `true` stops the execution. */
type Interrupt = () => boolean;

type PreludeFunction = "invoke" | "answered" | "failed" | "seed";

/** An engine with the prelude loaded. It serves one invocation at a time and is restored after each. */
export class Sandbox {
  private readonly ffi: Ffi;
  private readonly heap: Heap;
  private readonly runtime: JSRuntimePointer;
  private readonly context: JSContextPointer;
  private readonly undefinedPointer: JSValuePointer;
  private readonly functions: ReadonlyMap<PreludeFunction, JSValuePointer>;
  /** Memory for the arguments and results of engine calls. */
  private readonly scratch: number;
  private readonly image: MemoryImage;
  private readonly memory: BoundedMemory;
  private listener: Listener = () => {};
  private interrupt: Interrupt = () => false;
  private readonly compiled = new CompiledModules();
  /** The only module that a sealed engine loads. */
  private compiling: MacroModule | undefined;
  private sealed = false;
  private discarded = false;

  /** Takes about 30 ms. */
  static async create(wasmModule: WebAssembly.Module): Promise<Sandbox> {
    const memory = new BoundedMemory();
    const variant = newVariant(base as unknown as QuickJSSyncVariant, { wasmModule, wasmMemory: memory.memory });
    return new Sandbox(await newQuickJSWASMModuleFromVariant(variant), memory);
  }

  private constructor(engine: QuickJSWASMModule, bounded: BoundedMemory) {
    const { memory } = bounded;
    this.memory = bounded;
    this.ffi = engine.getFFI();
    this.heap = new Heap(engine);
    const layout = findLayout(memory, this.heap);
    const runtime = engine.newRuntime();
    runtime.setMaxStackSize(STACK);
    runtime.setInterruptHandler(() => this.interrupt());
    runtime.setModuleLoader(
      (name) => (this.sealed ? this.textOf(name) : preludeModule(name)),
      (from, name) => (this.sealed ? sealedModuleName(from, name) : preludeModuleName(from, name)),
    );
    const context = runtime.newContext();
    // The library does not expose these pointers.
    this.runtime = pointerIn(runtime, "rt");
    this.context = pointerIn(context, "ctx");
    this.undefinedPointer = context.undefined.value as JSValuePointer;
    this.functions = loadPrelude(context, (kind, first, second) => this.listener(kind, first, second));
    this.scratch = this.heap.allocate(64);
    this.sealed = true;
    this.image = new MemoryImage(memory, layout);
  }

  /** Restores the engine. Returns false if it cannot be reused. */
  reset(): boolean {
    this.listener = () => {};
    this.interrupt = () => false;
    return !this.discarded && this.image.restore() && this.memory.memory.buffer.byteLength <= MAX_KEPT_BYTES;
  }

  /** Marks the engine as broken: it is not reused. */
  discard(): void {
    this.discarded = true;
  }

  /** Loads a module and calls it with a driver. */
  invoke({ module, driver, argument, page, limits }: Invoke, listener: Listener, interrupt: Interrupt): void {
    const { ffi, context } = this;
    this.listener = listener;
    this.interrupt = interrupt;
    this.memory.limit = this.image.endWith(limits.memory);
    const refusal = this.compile(module);
    if (refusal !== undefined) {
      this.call("failed", refusal);
      return;
    }
    const seed = randomFillSync(new Int32Array(4));
    this.call("seed", ...[...seed].map((word) => ffi.QTS_NewFloat64(context, word)));
    const loaded = this.evaluate(START_FILE, `export * as module from ${JSON.stringify(module.name)};`);
    const error = ffi.QTS_ResolveException(context, loaded);
    if (error) this.call("failed", error);
    else {
      const packed = page === undefined ? [] : [this.text(page.text), this.words(page.ends)];
      const checksInput = ffi.QTS_NewFloat64(context, Number(module.checksInput));
      this.call("invoke", loaded, this.text(driver), this.text(argument), checksInput, ...packed);
    }
  }

  /** Passes the host's answer to the sandbox. */
  answer(text: string | undefined, code: number | undefined): void {
    this.call(
      "answered",
      text === undefined ? this.undefinedPointer : this.text(text),
      code === undefined ? this.undefinedPointer : this.ffi.QTS_NewFloat64(this.context, code),
    );
  }

  /** The engine notices the limit only when its memory must grow. */
  get isTooLarge(): boolean {
    return this.image.end > this.memory.limit;
  }

  get hasJobs(): boolean {
    return this.ffi.QTS_IsJobPending(this.runtime) !== 0;
  }

  /** Runs a batch of pending jobs. */
  runJobs(): void {
    this.ffi.QTS_ExecutePendingJob(this.runtime, JOB_BATCH, this.scratch as never);
  }

  /** Compiles and links a module without running any of it, or recalls the result. Returns the error, if any. */
  private compile(module: MacroModule): JSValuePointer | undefined {
    const { ffi, context, compiled, image } = this;
    const known = compiled.find(module);
    if (known !== undefined) {
      image.apply(known);
      return undefined;
    }
    this.compiling = module;
    // All imports are linked before the first one is evaluated, which ends the evaluation.
    const text = `import ${JSON.stringify(HALT_FILE)}; import ${JSON.stringify(module.name)};`;
    const error = ffi.QTS_ResolveException(context, this.evaluate(COMPILE_FILE, text)) as JSValuePointer;
    this.compiling = undefined;
    if (ffi.QTS_IsEqual(context, error, ffi.QTS_GetNull(), STRICTLY) !== 1) return error;
    ffi.QTS_FreeValuePointer(context, error);
    compiled.keep(module, image.changes());
    return undefined;
  }

  private evaluate(name: string, text: string): JSValuePointer {
    const { pointer, length } = this.heap.put(text);
    const result = this.ffi.QTS_Eval(this.context, pointer, length, name, AS_MODULE.detect, AS_MODULE.flags);
    this.heap.free(pointer);
    return result;
  }

  private textOf(name: string): string | { readonly error: Error } {
    if (name === HALT_FILE) return "throw null;";
    return name === this.compiling?.name ? this.compiling.code : { error: refusedModule(name) };
  }

  private text(text: string): JSValuePointer {
    const { pointer } = this.heap.put(text);
    const value = this.ffi.QTS_NewString(this.context, pointer);
    this.heap.free(pointer);
    return value;
  }

  /** An `ArrayBuffer` that the engine frees. */
  private words(words: Int32Array): JSValuePointer {
    const pointer = this.heap.allocate(words.byteLength);
    this.heap.putWords(pointer, words);
    return this.ffi.QTS_NewArrayBuffer(this.context, pointer as never, words.byteLength);
  }

  /** Calls a prelude function. Throws `SandboxExhausted` if memory ran out or the engine was interrupted. */
  private call(name: PreludeFunction, ...parts: readonly JSValuePointer[]): void {
    this.heap.putWords(this.scratch, parts);
    const { ffi, context, scratch } = this;
    const result = ffi.QTS_Call(
      context,
      this.functions.get(name) as JSValuePointer,
      this.undefinedPointer,
      parts.length,
      scratch as never,
    );
    const error = ffi.QTS_ResolveException(context, result);
    if (error) throw new SandboxExhausted();
    for (const part of parts) if (part !== this.undefinedPointer) ffi.QTS_FreeValuePointer(context, part);
    ffi.QTS_FreeValuePointer(context, result);
  }
}

/** Resolves an import of a user module. Prelude modules are already loaded, and their real names would resolve. */
function sealedModuleName(from: string, name: string): string {
  if (from === START_FILE || from === COMPILE_FILE) return name;
  return name === AUTHORING ? AUTHORING_FILE : `${REFUSED}${name.slice(0, 200)}`;
}

function refusedModule(name: string): Error {
  const refused = JSON.stringify(name.slice(REFUSED.length));
  return new Error(`cannot import ${refused}: only "${AUTHORING}" can be imported`);
}

/** The prelude could not continue. */
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
  const names: PreludeFunction[] = ["invoke", "answered", "failed", "seed"];
  return new Map(names.map((name) => [name, context.getProp(prelude, name).value as JSValuePointer]));
}

const OURS = fileURLToPath(new URL("..", import.meta.url));
const SCHEMA = dirname(fileURLToPath(import.meta.resolve("@cfworker/json-schema")));

/** The only import that a user module can use. */
const AUTHORING = "@sallyport/macros";

/** The file behind that import. Prelude module names are paths, which are not valid macro names. */
const AUTHORING_FILE = "/authoring/index.js";
const MAIN_FILE = "/prelude/main.js";
const COMPILE_FILE = "/prelude/compile.js";
const HALT_FILE = "/prelude/halt.js";
const START_FILE = "/prelude/start.js";

/** The sandbox has no `URL`. The validator needs it to resolve references such as `#/$defs/Address`. */
const URL_SHIM = `import { SchemaUrl as URL } from "/prelude/schema-url.js";\n`;

function preludeModuleName(importer: string, imported: string): string {
  if (imported === "@cfworker/json-schema") return "/schema/index.js";
  return imported.startsWith(".") ? join(dirname(importer), imported) : imported;
}

function preludeModule(name: string): string {
  if (!name.startsWith("/schema/")) return readFileSync(join(OURS, name), "utf8");
  const text = readFileSync(join(SCHEMA, name.slice("/schema/".length)), "utf8");
  return name === "/schema/dereference.js" ? URL_SHIM + text : text;
}

import type * as z from "zod";
import type { administrationOperations, databaseOperations } from "./api.ts";

/** The calls of a database. */
export type DatabaseCalls = CallsOf<typeof databaseOperations>;

/** The calls of administrators. */
export type AdministrationCalls = CallsOf<typeof administrationOperations>;

/**
 * Calls by method and path, such as `GET /v1/object/{idOrClass}`: of all operations that answer with an envelope and take
 * JSON or no body. `given` is the input of a call, `data` that of a success.
 */
type CallsOf<Groups> = {
  readonly [O in OperationIn<Groups> as KeyOf<O>]: {
    readonly given: PathOf<O> & QueryOf<O> & BodyOf<O> & SessionOf<O>;
    readonly data: O extends { data: infer S extends z.ZodType } ? z.output<S> : never;
  };
};

type OperationIn<Groups> = { [Name in keyof Groups]: Groups[Name][keyof Groups[Name]] }[keyof Groups];

type KeyOf<O> = O extends { answer: string } | { body: { form: object } | { stream: object } }
  ? never
  : O extends { method: infer M extends string; path: infer P extends string }
    ? `${M} ${P}`
    : never;

type ParameterOf<Path> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | ParameterOf<Rest> : never;

type PathOf<O> = O extends { path: `${string}{${string}` }
  ? { readonly path: { readonly [Name in ParameterOf<O["path"]>]: string } }
  : unknown;

type QueryOf<O> = O extends { query: infer S extends z.ZodType }
  ? object extends z.input<S>
    ? { readonly query?: ValuesOf<S> | undefined }
    : { readonly query: ValuesOf<S> }
  : unknown;

/** The values of a query as they are parsed. The client writes them as text. */
type ValuesOf<S> = S extends z.ZodType
  ? {
      readonly [Name in keyof z.input<S>]: Name extends keyof z.output<S>
        ? z.output<S>[Name] | Extract<z.input<S>[Name], undefined>
        : never;
    }
  : never;

type BodyOf<O> = O extends { body: { json: infer S extends z.ZodType } }
  ? O extends { body: { optional: true } }
    ? { readonly body?: Sent<z.input<S>> | undefined }
    : { readonly body: Sent<z.input<S>> }
  : unknown;

/** A value that the client only reads. */
type Sent<T> = [z.core.util.JSONType] extends [T]
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Sent<Item>[]
    : T extends object
      ? { readonly [Name in keyof T]: Sent<T[Name]> }
      : T;

/** The client has no session for operations that need none. */
type SessionOf<O> = O extends { access: "public" | "appKey" | "secrets" } ? { readonly anonymous: true } : unknown;

import type { ObjectId, Principal, ServiceError } from "@sallyport/storage";
import { type ClassStructure, type ClassRequest, putClass, removeClass, readStructure } from "../../src/index.ts";
import { type Fixture, openFixture, using } from "../fixture.ts";
import { sessionContext } from "../session-context.ts";

export const administrator: Principal = { userId: "1", groups: [], administrator: true };

export interface ModelFixture extends Fixture {
  /** Databases with a request for indexes. */
  readonly aligned: unknown[];
  put(
    name: string,
    definition?: Partial<ClassRequest>,
    expected?: readonly number[] | null,
    principal?: Principal,
  ): Promise<{ structure: ClassStructure; generation: number }>;
  remove(name: string, expected?: readonly number[] | null, principal?: Principal): Promise<{ generation: number }>;
  structure(principal?: Principal): Promise<readonly ClassStructure[]>;
  generation(): Promise<number>;
  group(): Promise<ObjectId>;
}

export async function openModelFixture(): Promise<ModelFixture> {
  const fixture = await openFixture();
  const aligned: unknown[] = [];
  const indexes = { begin: (database: unknown) => void aligned.push(database) };
  const contextOf = (principal: Principal) => sessionContext(fixture, principal);
  return {
    ...fixture,
    aligned,
    put: async (name, definition = {}, expectedGenerations = null, principal = administrator) =>
      putClass(using(await contextOf(principal), { indexKeeper: indexes }), {
        name,
        definition: { base: null, attributes: [], rights: [], ...definition },
        expectedGenerations,
      }),
    remove: async (name, expectedGenerations = null, principal = administrator) =>
      removeClass(using(await contextOf(principal), { indexKeeper: indexes }), { name, expectedGenerations }),
    structure: async (principal = administrator) => (await readStructure(await contextOf(principal))).classes,
    generation: async () => (await fixture.r.model.load()).generation,
    group: async () => (await fixture.insert({ className: "UserGroup", attributes: { Name: "group" } }))[0] as ObjectId,
  };
}

/** The code and detail of an error; `ok` for a success. */
export function outcomeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => "ok",
    (error: ServiceError) => `${error.code} ${error.detail ?? ""}`.trim(),
  );
}

import { atMost, jsonBytes, ServiceError } from "@sallyport/storage";
import type { Model } from "../../model/index.ts";
import { batches } from "../batches.ts";
import { fullPlan } from "../serialization/object-plan.ts";
import { ObjectSerializer } from "../serialization/object-serializer.ts";
import {
  type AnswerExtension,
  AnswerExtensionError,
  type SerializationSource,
  type ReadScope,
  type WrittenObject,
} from "../serialization/serialization-source.ts";
import {
  type ActiveHooks,
  type Hook,
  type HookCaller,
  type MemberChanges,
  type Members,
  noHooks,
  type SerializedItem,
} from "./active-hooks.ts";
import { changeMembers, concernedClasses, deeper } from "./hook-caller.ts";

/** Batch size of a hook call. Byte counts are upper bounds of the written bytes. */
const batchSize = { items: 1_000, bytes: 4 * 1024 * 1024 };

type BuildHook = Hook<readonly SerializedItem[], readonly (MemberChanges | null)[]>;

interface AnsweredObject extends WrittenObject {
  /** Whether attributes are missing from the output, including those removed by earlier hooks. */
  isPartial: boolean;
  /** Upper bound of the bytes added by earlier hooks. They count for the next hook. */
  added: number;
}

const nothing: Members = {};

class AnswerHooks implements AnswerExtension {
  private hooks: readonly (readonly [BuildHook, ReadonlySet<string>])[] = [];
  private active: ActiveHooks | null = null;

  constructor(
    private readonly caller: HookCaller,
    /** `source`: without hooks. */
    private readonly from: { readonly model: Model; readonly source: SerializationSource },
  ) {}

  async begin(): Promise<boolean> {
    this.active = await this.caller.services.objectHooks.current(this.caller);
    this.hooks = (this.active?.buildSerialization ?? []).map(
      (hook) => [hook, concernedClasses(hook, this.from.model)] as const,
    );
    return this.hooks.length > 0;
  }

  concerns(className: string): boolean {
    return this.hooks.some(([, classes]) => classes.has(className));
  }

  async complete(written: readonly WrittenObject[]): Promise<number> {
    if (this.active === null || written.length === 0) return 0;
    try {
      const build = async (caller: HookCaller): Promise<number> => {
        const answered = written.map((each): AnsweredObject => ({ ...each, isPartial: false, added: 0 }));
        for (const [hook, classes] of this.hooks) {
          const concerned = answered.filter(({ object }) => classes.has(object.className));
          for (const each of concerned) each.isPartial = lacksAttributes(each);
          for (const part of batches(concerned, bytesOf, batchSize)) await this.build(hook, caller, part);
        }
        return answered.reduce((sum, { added }) => sum + added, 0);
      };
      return await this.active.prepared(deeper(this.caller), build, { opensTransaction: false });
    } catch (error) {
      throw error instanceof ServiceError ? new AnswerExtensionError(error) : error;
    }
  }

  ignore(error: ServiceError): void {
    this.caller.services.objectHooks.ignored(this.caller, error);
  }

  private async build(hook: BuildHook, caller: HookCaller, part: readonly AnsweredObject[]): Promise<void> {
    const rests = await this.rests(part);
    const items = part.map(({ output }, index) => ({ json: output as Members, rest: rests[index] as Members }));
    const changes = await hook.run(caller, items);
    for (const [index, answered] of part.entries()) {
      const change = changes[index] ?? null;
      if (change === null) continue;
      changeMembers(answered.output, change);
      answered.added += jsonBytes(change.set, atMost);
    }
  }

  /** `~UUID` and the attributes missing from the output, for each object. */
  private async rests(part: readonly AnsweredObject[]): Promise<readonly Members[]> {
    const partial = part.filter(({ isPartial }) => isPartial);
    const whole =
      partial.length === 0
        ? []
        : await new ObjectSerializer(this.from.source, fullPlan(this.from.model, 0)).serialize(
            partial.map(({ object }) => object),
          );
    const byOutput = new Map(partial.map(({ output }, index) => [output, whole[index]]));
    return part.map(({ object: { uuid }, output }) => {
      const rest = Object.entries(byOutput.get(output) ?? {}).filter(([name]) => !Object.hasOwn(output, name));
      if (!Object.hasOwn(output, "~UUID")) rest.push(["~UUID", uuid]);
      return rest.length === 0 ? nothing : (Object.fromEntries(rest) as Members);
    });
  }
}

function lacksAttributes({ object, output }: WrittenObject): boolean {
  return Object.keys(object.attributes).some((name) => !Object.hasOwn(output, name));
}

function bytesOf({ object, bytes, added, isPartial }: AnsweredObject): number {
  return bytes + added + (isPartial ? jsonBytes(object.attributes, atMost) : 0);
}

/** The serialization source of a request, including hooks. Reads inside hooks return stored data, without hooks. */
export function hookedSource(caller: HookCaller, { model, visibility }: ReadScope): SerializationSource {
  const { storeTime, answerBytes } = caller.database;
  const source = { objects: caller.r.objects, visibility, storeTime, answerBytes };
  return caller.services.objectHooks === noHooks || caller.hookDepth !== undefined
    ? source
    : { ...source, extension: new AnswerHooks(caller, { model, source }) };
}

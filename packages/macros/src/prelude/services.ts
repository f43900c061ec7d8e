import {
  type ObjectJson,
  type ObjectList,
  type ObjectReaders,
  type ObjectReference,
  type Objects,
  cacheVersion,
} from "../authoring/objects.ts";
import type { Caller, Services } from "../authoring/macro-definition.ts";
import { callHost, notifyHost } from "./host-calls.ts";
import { isArray, slice, stringify, toText } from "./primordials.ts";
import { random, uuid } from "./random.ts";

interface Read {
  readonly object: ObjectJson;
  readonly version: number;
}

function idOf(object: ObjectReference): unknown {
  return typeof object === "object" && object !== null ? object["~ObjectID"] : object;
}

async function read(name: string, argument: object): Promise<ObjectJson> {
  const { object, version } = (await callHost(name, argument)) as Read;
  cacheVersion(object, version);
  return object;
}

async function readersOf(name: string, argument: object): Promise<ObjectReaders> {
  const { readers, version } = (await callHost(name, argument)) as ObjectReaders & { version: number };
  const result = { readers };
  cacheVersion(result, version);
  return result;
}

const objects: Objects = {
  get: (object, options) => read("objects.get", { ...options, id: idOf(object) }),
  async find(className, options) {
    const { list, versions } = (await callHost("objects.find", { ...options, className })) as {
      list: ObjectList;
      versions: number[];
    };
    const elements = list["~Elements"];
    for (let index = 0; index < elements.length; index += 1)
      cacheVersion(elements[index] as ObjectJson, versions[index] as number);
    return list;
  },
  create: (className, attributes, options) => read("objects.create", { ...options, className, attributes }),
  update: (object, attributes, options) => read("objects.update", { ...options, id: idOf(object), attributes }),
  readers: (object) => readersOf("objects.readers", { id: idOf(object) }),
  setReaders(object, readers, options) {
    const ids: unknown = isArray(readers) ? readers.map(idOf) : readers;
    return readersOf("objects.setReaders", { ...options, id: idOf(object), readers: ids });
  },
  async delete(object, options) {
    await callHost("objects.delete", { ...options, id: idOf(object) });
  },
  lock: (object) => callHost("objects.lock", { id: idOf(object) }) as ReturnType<Objects["lock"]>,
  unlock: (object) => callHost("objects.unlock", { id: idOf(object) }) as ReturnType<Objects["unlock"]>,
};

/** Characters of a log line that are sent. The worker stores one less, and marks a longer line as truncated. */
const MAX_SENT = 2_001;

function log(...parts: readonly unknown[]): void {
  let line = "";
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index];
    line += `${index === 0 ? "" : " "}${typeof part === "string" ? part : (stringify(part) ?? toText(part))}`;
  }
  notifyHost("log", stringify(slice(line, 0, MAX_SENT)));
}

const now = () => callHost("now", null) as Promise<number>;

export function servicesFor(caller: Caller): Services {
  return { caller, objects, log, now, random, uuid };
}

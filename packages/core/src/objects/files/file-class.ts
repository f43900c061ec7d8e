import {
  type Attributes,
  type AttributeType,
  builtInClasses,
  fileClass,
  imageClass,
  seesAll,
  ServiceError,
} from "@sallyport/storage";
import { type Model, type ModelClass, readableSubtree } from "../../model/index.ts";
import { acceptFileName, acceptMediaType, type NameRules } from "./file-names.ts";

/** Types of the attributes that describe a file. */
const described: ReadonlyMap<string, AttributeType> = new Map(
  builtInClasses.find(({ name }) => name === fileClass)?.attributes.map(({ name, type }) => [name, type]) ?? [],
);

/** Attributes that follow from the bytes. Name and media type can be changed. */
const guarded: readonly string[] = ["Size", "Sha256"];

/**
 * Those of the attributes that the service writes for a class: none of an image. The class of a database from an older
 * release may lack some.
 */
export function knownFileAttributes(attributes: Attributes, modelClass: ModelClass, model: Model): Attributes {
  if (!isFileClass(model, modelClass.definition.name)) return {};
  const entries = Object.entries(attributes).filter(
    ([name]) => modelClass.attributes.get(name)?.type === described.get(name),
  );
  return Object.fromEntries(entries);
}

/** The classes whose objects can have bytes. */
export function classesWithBytes(model: Model): ModelClass[] {
  return [fileClass, imageClass].flatMap((name) => readableSubtree(model, name, seesAll));
}

/** Whether objects of the class can have bytes. */
export function canHaveBytes(model: Model, className: string): boolean {
  return classesWithBytes(model).some(({ definition }) => definition.name === className);
}

/** Whether objects of the class always have bytes, and attributes that describe them. */
export function isFileClass(model: Model, className: string): boolean {
  return model.find(fileClass)?.subtree.includes(className) ?? false;
}

/** The attributes that clients can write. */
export function writableAttributes(model: Model, { definition, attributes }: ModelClass): ModelClass["attributes"] {
  if (!isFileClass(model, definition.name)) return attributes;
  return new Map([...attributes].filter(([name]) => !guarded.includes(name)));
}

/** 404 if a client or a hook sets attributes that only the service writes. */
export function guardFileAttributes(names: Iterable<string>): void {
  for (const name of names) {
    if (guarded.includes(name))
      throw new ServiceError(404, { detail: `${name} of a file is written by uploads only.` });
  }
}

/** Name and media type of a file as they are stored, if they are set. 502: the name is not accepted. 307: malformed type. */
export function acceptFileAttributes(attributes: Attributes, rules: NameRules): Attributes {
  const { Name: name, MediaType: mediaType } = attributes;
  return {
    ...attributes,
    ...(name === undefined ? {} : { Name: acceptFileName(name as string | null, rules) }),
    ...(typeof mediaType === "string" ? { MediaType: acceptMediaType(mediaType, "/MediaType") } : {}),
  };
}

import type { JsonValue } from "@sallyport/core";
import type { Enter } from "../threads/messages.ts";
import { type Item, packItems } from "./pack-items.ts";
import { unpackChanges } from "./unpack-changes.ts";

/** How what drivers are given and give crosses between here and the thread. */
interface Crossing {
  readonly pack: (argument: JsonValue) => Pick<Enter, "argument" | "page">;
  readonly unpack: (result: JsonValue, argument: JsonValue) => JsonValue;
}

const asJson: Crossing = {
  pack: (argument) => ({ argument: JSON.stringify(argument) }),
  unpack: (result) => result,
};

const itemsOf = (argument: JsonValue) => (argument as unknown as { readonly items: readonly Item[] }).items;
const unpack: Crossing["unpack"] = (result, argument) => unpackChanges(result, itemsOf(argument).length);

/** Objects of a page are the most that ever crosses. */
const ofPage: Crossing = {
  pack: (argument) => {
    const { layout, page } = packItems(itemsOf(argument));
    return { argument: JSON.stringify({ ...(argument as object), items: layout }), page };
  },
  unpack,
};

const byDriver: ReadonlyMap<string, Crossing> = new Map([
  ["buildSerialization", ofPage],
  ["beforeSave", { ...asJson, unpack }],
]);

export function crossingOf(driver: string): Crossing {
  return byDriver.get(driver) ?? asJson;
}

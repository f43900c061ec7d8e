import { type ProviderType, providerTypeOf, providerTypes } from "@sallyport/core";
import { Argument } from "commander";
import { CommandError } from "../command-error.ts";

const words = `${providerTypes.slice(0, -1).join(", ")} or ${providerTypes.at(-1)}`;

/** The argument that names a provider. */
export function providerArgument(): Argument {
  return new Argument("<type>", words);
}

export function typeOf(word: string): ProviderType {
  const type = providerTypeOf(word);
  if (type === null) throw new CommandError(`"${word}" is no provider. There are ${words}.`);
  return type;
}

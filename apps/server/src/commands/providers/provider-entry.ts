import { type ProviderType, providerTypeOf, providerTypes } from "@sallyport/core";
import { Argument } from "commander";
import type { Configuration } from "../../configuration/index.ts";
import { CommandError } from "../command-group.ts";

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

/** What the configuration still lacks before anybody can log in with the provider. */
export function missingOf({ oAuthProviders }: Configuration, type: ProviderType, callback: string | null): string[] {
  const switchedOn = oAuthProviders.includes(type)
    ? []
    : [`The configuration does not switch it on yet: add {"name": "${type}"} to oAuthProviders.`];
  return callback === null
    ? [...switchedOn, "Where the provider is to send browsers back to is not known yet: set server.publicUrl."]
    : switchedOn;
}

import { type ProviderType, providerTypeOf, providerTypes } from "@sallyport/core";
import { z } from "zod";
import { asIs, type Kind, refusal } from "./kind.ts";

/** The name of an identity provider, in any case, or another name that it is known by. */
export function providerName(): Kind<ProviderType> {
  const wanted = `${providerTypes.slice(0, -1).join(", ")} or ${providerTypes.at(-1)}`;
  const schema = z.string(refusal(wanted)).transform((name, context) => {
    const type = providerTypeOf(name);
    if (type !== null) return type;
    context.addIssue({ code: "custom", message: `must be ${wanted}` });
    return z.NEVER;
  });
  return { type: providerTypes.join(" | "), schema, fromText: asIs, toFile: asIs };
}

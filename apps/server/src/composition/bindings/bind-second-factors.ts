import {
  CheckSecondFactors,
  ConfirmSecondFactor,
  EnrolSecondFactor,
  FactorProofs,
  FactorSecrets,
  ProveFactor,
  ReadSecondFactor,
  RemoveSecondFactor,
  ValidateSecondFactor,
} from "@sallyport/core";
import { OtplibTimeTokens } from "@sallyport/crypto";
import type { Container } from "inversify";
import { identifiers } from "../identifiers.ts";

/** What a password alone does not open. */
export function bindSecondFactors(container: Container): void {
  const { digests, random, keyWrapping, gate, timeTokens, factorSecrets, factorProofs, proveFactor } = identifiers;
  container.bind(timeTokens).toDynamicValue(() => new OtplibTimeTokens());
  container.bind(factorSecrets).toResolvedValue((...parts) => new FactorSecrets(...parts), [keyWrapping, digests]);
  container
    .bind(factorProofs)
    .toResolvedValue((...parts) => new FactorProofs(...parts), [factorSecrets, timeTokens, digests]);
  container
    .bind(identifiers.checkSecondFactors)
    .toResolvedValue((proofs) => new CheckSecondFactors(proofs), [factorProofs]);
  container.bind(proveFactor).toResolvedValue((...parts) => new ProveFactor(...parts), [gate, factorProofs]);
  container
    .bind(identifiers.readSecondFactor)
    .toResolvedValue((secrets) => new ReadSecondFactor(secrets), [factorSecrets]);
  container
    .bind(identifiers.enrolSecondFactor)
    .toResolvedValue((...parts) => new EnrolSecondFactor(...parts), [factorSecrets, timeTokens, digests, random]);
  container
    .bind(identifiers.confirmSecondFactor)
    .toResolvedValue((prove) => new ConfirmSecondFactor(prove), [proveFactor]);
  container
    .bind(identifiers.removeSecondFactor)
    .toResolvedValue((prove) => new RemoveSecondFactor(prove), [proveFactor]);
  container
    .bind(identifiers.validateSecondFactor)
    .toResolvedValue((prove) => new ValidateSecondFactor(prove), [proveFactor]);
}

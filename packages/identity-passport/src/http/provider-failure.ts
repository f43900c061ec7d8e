import { ServiceError } from "@sallyport/core";

/** The failures of providers. Their details are fixed words: nothing that a provider, a browser or a secret says gets into them. */
export const unproven = (detail: string): ServiceError => new ServiceError(324, { detail });

export const misconfigured = (detail: string): ServiceError => new ServiceError(608, { detail });

export const unanswered = (detail: string): ServiceError => new ServiceError(706, { detail, retryAfter: 5 });

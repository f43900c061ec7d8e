import type { RequestObserver } from "@sallyport/http";

/** Tells several observers of every request. */
export function allObservers(...observers: readonly RequestObserver[]): RequestObserver {
  return {
    answered: (record) => {
      for (const observer of observers) observer.answered(record);
    },
  };
}

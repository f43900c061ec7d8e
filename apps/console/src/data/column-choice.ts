import { useCallback, useState } from "react";
import { usePerson } from "../connection/connection-context.tsx";

/** The columns that a person has chosen for a class, in their order. */
export interface ColumnChoice {
  readonly names: readonly string[];
  /** Widths in px by column, where the person has set one. */
  readonly widths: Readonly<Record<string, number>>;
}

/** Reads what was stored. Columns that no longer exist are left out. */
function storedChoice(key: string, usual: readonly string[], all: readonly string[]): ColumnChoice {
  try {
    const { names, widths } = JSON.parse(localStorage.getItem(key) ?? "") as ColumnChoice;
    const present = names.filter((name) => all.includes(name));
    return { names: present.length === 0 ? usual : present, widths };
  } catch {
    return { names: usual, widths: {} };
  }
}

/** The choice of columns, remembered in this browser by database, person and class. */
export function useColumnChoice(className: string, usual: readonly string[], all: readonly string[]) {
  const { databaseName, userId } = usePerson();
  const key = ["sallyport-console-columns", databaseName, userId, className].join(":");
  const [choice, setChoice] = useState(() => storedChoice(key, usual, all));
  const choose = useCallback(
    (changed: Partial<ColumnChoice>) =>
      setChoice((current) => {
        const next = { ...current, ...changed };
        localStorage.setItem(key, JSON.stringify(next));
        return next;
      }),
    [key],
  );
  const reset = useCallback(() => {
    localStorage.removeItem(key);
    setChoice({ names: usual, widths: {} });
  }, [key, usual]);
  return { choice, choose, reset };
}

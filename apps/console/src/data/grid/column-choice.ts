import { useCallback, useState } from "react";
import { usePerson } from "../../connection/connection-context.tsx";

/** How a person wants to see a class: its columns, in their order, and a count. */
export interface ColumnChoice {
  readonly names: readonly string[];
  /** Widths in px by column, where the person has set one. */
  readonly widths: Readonly<Record<string, number>>;
  /** Whether the objects are counted. */
  readonly isCounted: boolean;
}

const usualChoice = (names: readonly string[]): ColumnChoice => ({ names, widths: {}, isCounted: true });

/** Reads what was stored. Columns that no longer exist are left out. */
function storedChoice(key: string, usual: readonly string[], all: readonly string[]): ColumnChoice {
  try {
    const { names, widths, isCounted = true } = JSON.parse(localStorage.getItem(key) ?? "") as ColumnChoice;
    const present = names.filter((name) => all.includes(name));
    return { names: present.length === 0 ? usual : present, widths, isCounted };
  } catch {
    return usualChoice(usual);
  }
}

interface ChoiceOf {
  readonly className: string;
  /** A saved view has columns of its own. */
  readonly viewId: string | undefined;
  readonly usual: readonly string[];
  readonly all: readonly string[];
}

/** The choice of columns, remembered in this browser by database, person, class and view. */
export function useColumnChoice({ className, viewId = "", usual, all }: ChoiceOf) {
  const { databaseName, userId } = usePerson();
  const key = ["sallyport-console-columns", databaseName, userId, className, viewId].join(":");
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
    setChoice(usualChoice(usual));
  }, [key, usual]);
  return { choice, choose, reset };
}

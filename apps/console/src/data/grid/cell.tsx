import { useLanguage } from "../../language/language.tsx";
import { visibleText } from "../../language/visible-text.ts";
import { TextLink } from "../../shell/links.tsx";
import { cellText, isDay, isoTime, isRow, type ObjectRow } from "../cell-text.ts";
import type { ValueColumn } from "../columns.ts";
import { isCut, listedCharacters } from "../cut-text.ts";
import { titleOf } from "../object-title.ts";
import classes from "./object-grid.module.css";

interface CellProps {
  readonly row: ObjectRow;
  readonly column: ValueColumn;
  /** Whether the cell leads to the object. */
  readonly isTitle: boolean;
}

/** A value of an object. Absent, null and empty values look different. */
export function Cell({ row, column, isTitle }: CellProps) {
  const { texts, language } = useLanguage();
  const value = row[column.name];
  if (isTitle) return <ObjectLink isInGrid object={row} title={cellText(row, column) || row["~ObjectID"]} />;
  if (value === undefined) return null;
  if (value === null) return <span className={classes["absent"]}>{texts.objects.null}</span>;
  if (value === "") return <span className={classes["absent"]}>{texts.objects.empty}</span>;
  if (isRow(value)) return <ObjectLink isInGrid object={value} title={titleOf(value, column.targetTitle)} />;
  if (typeof value === "boolean") return <span>{value ? texts.common.yes : texts.common.no}</span>;
  const text = cellText(row, column);
  if (column.type === "date") return <span title={text}>{isDay(text) ? text : localTime(text, language)}</span>;
  const isCode = column.type === "json" || column.type === "id";
  // One that lists have cut ends with an ellipsis already.
  const shown = text.length > listedCharacters + 1 ? `${text.slice(0, listedCharacters)}…` : text;
  const hint = isCut(value) ? `${text} ${texts.objects.characters(value["~Length"])}` : text;
  return (
    <span
      className={isCode ? classes["mono"] : ""}
      title={hint.length > 40 ? visibleText(hint.slice(0, 1_000)) : undefined}
    >
      {visibleText(shown)}
    </span>
  );
}

export const localTime = (text: string, language: string): string =>
  new Intl.DateTimeFormat(language, { dateStyle: "short", timeStyle: "medium" }).format(new Date(isoTime(text)));

interface ObjectLinkProps {
  readonly object: ObjectRow;
  readonly title: string;
  /** The arrow keys of a grid lead to its links, the Tab key does not. */
  readonly isInGrid?: boolean;
}

export function ObjectLink({ object, title, isInGrid = false }: ObjectLinkProps) {
  return (
    <TextLink
      to="/classes/$className/$objectId"
      params={{ className: object["~ClassName"], objectId: object["~ObjectID"] }}
      size="sm"
      {...(isInGrid && { tabIndex: -1 })}
    >
      {title}
    </TextLink>
  );
}

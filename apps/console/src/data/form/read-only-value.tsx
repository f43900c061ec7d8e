import { Text, Textarea } from "@mantine/core";
import { useLanguage } from "../../language/language.tsx";
import { visibleText } from "../../language/visible-text.ts";
import { cellText, isDay, isRow, type ObjectRow } from "../cell-text.ts";
import type { ValueColumn } from "../columns.ts";
import { localTime, ObjectLink } from "../grid/cell.tsx";
import { titleOf } from "../object-title.ts";
import { FileControl } from "./file-control.tsx";
import { membersOf } from "./object-edits.ts";
import classes from "./object-form.module.css";

interface ReadOnlyValueProps {
  readonly column: ValueColumn;
  readonly row: ObjectRow;
}

/** A value for a person who cannot change it: in the ink of the page, with links to the objects that it leads to. */
export function ReadOnlyValue({ column, row }: ReadOnlyValueProps) {
  const { texts, language } = useLanguage();
  const { name, type, targetTitle } = column;
  const value = row[name];
  if (type === "collection") {
    const members = membersOf(value);
    if (members.length === 0) return null;
    return (
      <ul className={classes["members"]} aria-label={name}>
        {members.map((member) => (
          <li key={member["~ObjectID"]} className={classes["member"]}>
            <ObjectLink object={member} title={titleOf(member, targetTitle)} />
          </li>
        ))}
      </ul>
    );
  }
  // The head of the field says which of these it is.
  if (value === undefined || value === null || value === "") return null;
  if (type === "file" && isRow(value))
    return <FileControl label={name} edit={{ value: value["~ObjectID"] }} name={titleOf(value, targetTitle)} />;
  if (type === "reference" && isRow(value)) return <ObjectLink object={value} title={titleOf(value, targetTitle)} />;
  if (type === "boolean") return <Text size="sm">{value === true ? texts.common.yes : texts.common.no}</Text>;
  if (type === "string" || type === "json")
    return (
      <Textarea
        readOnly
        autosize
        maxRows={16}
        aria-label={name}
        classNames={type === "json" ? { input: classes["code"] ?? "" } : {}}
        value={type === "json" ? JSON.stringify(value, null, 2) : String(value)}
      />
    );
  const text = cellText(row, column);
  if (type !== "date") return <Text size="sm">{visibleText(text)}</Text>;
  return (
    <Text size="sm" title={text}>
      {isDay(text) ? text : localTime(text, language)}
    </Text>
  );
}

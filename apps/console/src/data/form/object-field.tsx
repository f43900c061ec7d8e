import { Badge, Button, Group, Text } from "@mantine/core";
import type { ClassStructure } from "@sallyport/client";
import { useTexts } from "../../language/language.tsx";
import { targetOf } from "../attribute-path.ts";
import { isRow, type ObjectRow } from "../cell-text.ts";
import type { ValueColumn, ValueType } from "../columns.ts";
import { FileControl } from "./file-control.tsx";
import { type FieldEdit, isSameValue, membersOf, sentValue } from "./object-edits.ts";
import { titleOf } from "../object-title.ts";
import { ReadOnlyValue } from "./read-only-value.tsx";
import {
  BooleanControl,
  CollectionControl,
  type ControlProps,
  DateControl,
  JsonControl,
  NumberControl,
  ReferenceControl,
  TextControl,
} from "./value-controls.tsx";
import classes from "./object-form.module.css";

interface ObjectFieldProps {
  readonly column: ValueColumn;
  readonly structure: ClassStructure;
  readonly all: readonly ClassStructure[];
  /** The stored object. `null` for a new one. */
  readonly row: ObjectRow | null;
  readonly edit: FieldEdit | undefined;
  /** `undefined` discards the edit. */
  onEdit(edit: FieldEdit | undefined): void;
  readonly disabled: boolean;
  /** The person cannot change the object. */
  readonly isReadOnly: boolean;
  /** Why the server has refused the value. */
  readonly refusal: string | undefined;
}

/** A field of the form: its name, state and control. Absent, null and empty values are three states. */
export function ObjectField(props: ObjectFieldProps) {
  const { column, structure, all, row, edit, onEdit, disabled, isReadOnly, refusal } = props;
  const texts = useTexts();
  const { name, type, mandatory } = column;
  const typeNames: Partial<Record<ValueType, string>> = texts.model.types;
  const stored = sentValue(row, column);
  const value = edit === undefined ? stored : edit.value;
  const isChanged = edit !== undefined && (edit.fault !== undefined || !isSameValue(edit.value, stored));
  const state = value === undefined ? "absent" : value === null ? "null" : value === "" ? "empty" : null;
  const error = edit?.fault === undefined ? refusal : texts.objects.faults[edit.fault];
  const control: ControlProps = {
    label: name,
    edit: edit ?? { value: stored },
    onEdit,
    disabled,
    placeholder: state === "absent" ? texts.objects.absent : state === "null" ? texts.objects.null : "",
  };
  return (
    <div className={classes["field"]} data-changed={isChanged} role="group" aria-label={name}>
      <Group gap="xs" className={classes["fieldHead"] ?? ""}>
        <Text size="sm" fw={600}>
          {name}
          {mandatory && (
            <Text span c="red" title={texts.classes.mandatory} aria-label={texts.classes.mandatory}>
              {" *"}
            </Text>
          )}
        </Text>
        <Text size="xs" c="dimmed">
          {typeNames[type]}
        </Text>
        {state !== null && (
          <Badge size="sm" variant="light" color="gray" tt="none">
            {texts.objects[state]}
          </Badge>
        )}
        <Group gap={4} ml="auto">
          {isChanged && (
            <Button size="compact-xs" variant="subtle" onClick={() => onEdit(undefined)}>
              {texts.objects.discardField(name)}
            </Button>
          )}
          {!mandatory && !disabled && value !== null && value !== undefined && type !== "collection" && (
            <Button size="compact-xs" variant="subtle" color="gray" onClick={() => onEdit({ value: null })}>
              {texts.objects.setNull}
            </Button>
          )}
        </Group>
      </Group>
      {isReadOnly && row !== null ? (
        <ReadOnlyValue column={column} row={row} />
      ) : (
        <Control {...control} column={column} structure={structure} all={all} row={row} />
      )}
      {error !== undefined && (
        <Text size="xs" c="var(--mantine-color-error)" role="alert">
          {error}
        </Text>
      )}
    </div>
  );
}

type FieldControlProps = ControlProps & Pick<ObjectFieldProps, "column" | "structure" | "all" | "row">;

function Control({ column, structure, all, row, ...control }: FieldControlProps) {
  const { name, type, targetTitle } = column;
  const stored = row?.[name];
  const target = targetOf(structure, name, all);
  switch (type) {
    case "number":
      return <NumberControl {...control} />;
    case "boolean":
      return <BooleanControl {...control} />;
    case "date":
      return <DateControl {...control} />;
    case "json":
      return <JsonControl {...control} />;
    case "reference":
      return <ReferenceControl {...control} target={target} />;
    case "file":
      return <FileControl {...control} name={isRow(stored) ? titleOf(stored, targetTitle) : undefined} />;
    case "collection":
      return (
        <CollectionControl
          {...control}
          target={target}
          titles={new Map(membersOf(stored).map((member) => [member["~ObjectID"], titleOf(member, targetTitle)]))}
          titleOf={(member) => titleOf(member, targetTitle)}
        />
      );
    default:
      return <TextControl {...control} />;
  }
}

import { ActionIcon, Group, SegmentedControl, Select, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { IconChevronDown, IconChevronUp, IconX } from "@tabler/icons-react";
import type { ClassStructure } from "@sallyport/client";
import dayjs from "dayjs";
import { useState } from "react";
import { useTexts } from "../../language/language.tsx";
import { isDay, type ObjectRow } from "../cell-text.ts";
import { parseJson } from "../exact-number.ts";
import type { FieldEdit } from "./object-edits.ts";
import { ReferencePicker } from "./reference-picker.tsx";
import { readNumber } from "./typed-values.ts";
import classes from "./object-form.module.css";

export interface ControlProps {
  /** Name of the field. */
  readonly label: string;
  /** The edit, else the stored value. */
  readonly edit: FieldEdit;
  onEdit(edit: FieldEdit): void;
  readonly disabled: boolean;
  /** Says that there is no value. */
  readonly placeholder: string;
}

export function TextControl({ label, edit, onEdit, ...input }: ControlProps) {
  return (
    <Textarea
      {...input}
      aria-label={label}
      autosize
      maxRows={16}
      value={typeof edit.value === "string" ? edit.value : ""}
      onChange={({ currentTarget }) => onEdit({ value: currentTarget.value })}
    />
  );
}

export function NumberControl({ label, edit, onEdit, ...input }: ControlProps) {
  return (
    <TextInput
      {...input}
      aria-label={label}
      inputMode="decimal"
      value={edit.text ?? (typeof edit.value === "number" ? String(edit.value) : "")}
      onChange={({ currentTarget: { value: text } }) => onEdit({ value: edit.value, text, ...readNumber(text) })}
    />
  );
}

export function BooleanControl({ label, edit, onEdit, ...input }: ControlProps) {
  const texts = useTexts();
  return (
    <Select
      {...input}
      aria-label={label}
      data={[
        { value: "true", label: texts.common.yes },
        { value: "false", label: texts.common.no },
      ]}
      value={typeof edit.value === "boolean" ? String(edit.value) : null}
      allowDeselect={false}
      onChange={(value) => onEdit({ value: value === "true" })}
    />
  );
}

export function JsonControl({ label, edit, onEdit, ...input }: ControlProps) {
  const isEmpty = edit.value === undefined || edit.value === null;
  return (
    <Textarea
      {...input}
      aria-label={label}
      classNames={{ input: classes["code"] ?? "" }}
      autosize
      minRows={2}
      maxRows={20}
      spellCheck={false}
      value={edit.text ?? (isEmpty ? "" : JSON.stringify(edit.value, null, 2))}
      onChange={({ currentTarget: { value: text } }) => onEdit({ value: edit.value, text, ...parseJson(text) })}
    />
  );
}

type Zone = "local" | "UTC";

/** A day is never converted. An instant shows in a zone that the person chooses. */
export function DateControl({ label, edit, onEdit, disabled }: ControlProps) {
  const texts = useTexts();
  const stored = typeof edit.value === "string" ? edit.value : "";
  const [kind, setKind] = useState(stored === "" || isDay(stored) ? "day" : "instant");
  const [zone, setZone] = useState<Zone>("local");
  const localZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const shownIn = (chosen: Zone): string => {
    if (stored === "" || isDay(stored)) return "";
    return chosen === "UTC"
      ? new Date(stored).toISOString().slice(0, -1)
      : dayjs(stored).format("YYYY-MM-DDTHH:mm:ss.SSS");
  };
  const writeDay = (text: string) =>
    onEdit(text === "" ? { value: edit.value, text, fault: "date" } : { value: text, text });
  const writeInstant = (text: string) => {
    const instant = new Date(zone === "UTC" ? `${text}Z` : text);
    const isWrong = text === "" || Number.isNaN(instant.getTime());
    onEdit(isWrong ? { value: edit.value, text, fault: "date" } : { value: instant.toISOString(), text });
  };
  const changeZone = (chosen: Zone) => {
    setZone(chosen);
    if (edit.text !== undefined) onEdit({ value: edit.value, text: shownIn(chosen) });
  };
  return (
    <Group gap="xs" align="flex-start">
      <SegmentedControl
        aria-label={texts.objects.dateKind(label)}
        disabled={disabled}
        value={kind}
        onChange={setKind}
        data={[
          { value: "day", label: texts.objects.day },
          { value: "instant", label: texts.objects.instant },
        ]}
      />
      {kind === "day" ? (
        <TextInput
          type="date"
          aria-label={label}
          disabled={disabled}
          value={edit.text ?? (isDay(stored) ? stored : "")}
          onChange={({ currentTarget }) => writeDay(currentTarget.value)}
        />
      ) : (
        <>
          <TextInput
            type="datetime-local"
            step="0.001"
            aria-label={label}
            disabled={disabled}
            value={edit.text ?? shownIn(zone)}
            onChange={({ currentTarget }) => writeInstant(currentTarget.value)}
          />
          <Select
            w={190}
            aria-label={texts.objects.zone(label)}
            data={[
              { value: "local", label: localZone },
              { value: "UTC", label: "UTC" },
            ]}
            value={zone}
            allowDeselect={false}
            onChange={(chosen) => changeZone(chosen === "UTC" ? "UTC" : "local")}
          />
          {stored !== "" && !isDay(stored) && (
            <Text size="xs" c="dimmed" w="100%">
              {stored}
            </Text>
          )}
        </>
      )}
    </Group>
  );
}

interface LinkControlProps extends ControlProps {
  readonly target: ClassStructure | undefined;
}

export function ReferenceControl({ label, edit, onEdit, disabled, target }: LinkControlProps) {
  return (
    <ReferencePicker
      label={label}
      target={target}
      disabled={disabled}
      value={typeof edit.value === "string" ? edit.value : null}
      onChange={(id) => onEdit({ value: id })}
    />
  );
}

interface CollectionControlProps extends LinkControlProps {
  /** Titles of the stored members, by id. */
  readonly titles: ReadonlyMap<string, string>;
  titleOf(row: ObjectRow): string;
}

/** Members in their order. Buttons move and remove them, since a drag needs a pointer. */
export function CollectionControl(props: CollectionControlProps) {
  const { label, edit, onEdit, disabled, target, titles, titleOf } = props;
  const texts = useTexts();
  const [added, setAdded] = useState<ReadonlyMap<string, string>>(new Map());
  const ids = Array.isArray(edit.value) ? edit.value.map(String) : [];
  const set = (next: readonly string[]) => onEdit({ value: next });
  const move = (index: number, step: number) => {
    const id = ids[index] as string;
    set(ids.toSpliced(index, 1).toSpliced(index + step, 0, id));
  };
  return (
    <Stack gap={4}>
      {ids.length > 0 && (
        <ul className={classes["members"]} aria-label={label}>
          {ids.map((id, index) => {
            const title = titles.get(id) ?? added.get(id) ?? id;
            return (
              <li key={id} className={classes["member"]}>
                <Text size="sm" flex={1} truncate>
                  {title}
                </Text>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  disabled={disabled || index === 0}
                  aria-label={texts.objects.moveUp(title)}
                  onClick={() => move(index, -1)}
                >
                  <IconChevronUp size={16} />
                </ActionIcon>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  disabled={disabled || index === ids.length - 1}
                  aria-label={texts.objects.moveDown(title)}
                  onClick={() => move(index, 1)}
                >
                  <IconChevronDown size={16} />
                </ActionIcon>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  disabled={disabled}
                  aria-label={texts.objects.removeMember(title)}
                  onClick={() => set(ids.filter((each) => each !== id))}
                >
                  <IconX size={16} />
                </ActionIcon>
              </li>
            );
          })}
        </ul>
      )}
      <ReferencePicker
        key={ids.length}
        isAdding
        label={texts.objects.addMember(label)}
        target={target}
        disabled={disabled}
        value={null}
        onChange={(id, row) => {
          if (id === null || ids.includes(id)) return;
          if (row !== undefined) setAdded(new Map(added).set(id, titleOf(row)));
          set([...ids, id]);
        }}
      />
    </Stack>
  );
}

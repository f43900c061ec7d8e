import { Button, Group, Select, TextInput } from "@mantine/core";
import { useDebouncedValue, useDisclosure } from "@mantine/hooks";
import { IconPlus } from "@tabler/icons-react";
import type { ClassStructure } from "@sallyport/client";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type ComponentType, createContext, useContext, useState } from "react";
import { useClasses, useConnection } from "../../connection/connection-context.tsx";
import { useTexts } from "../../language/language.tsx";
import { stepsOf } from "../attribute-path.ts";
import type { ObjectRow } from "../cell-text.ts";
import { objectIdOf, titleOf, titlePathOf } from "../object-title.ts";

/** Objects that the picker offers at a time. */
const offered = 20;

export interface NewTargetProps {
  readonly target: ClassStructure;
  readonly all: readonly ClassStructure[];
  /** Name of the field that the object is for. */
  readonly label: string;
  onCreated(object: ObjectRow): void;
  onClose(): void;
}

/** The dialog that creates an object for a reference. `null` where none can be created. The page gives it, since its form has pickers. */
export const NewTargetDialog = createContext<ComponentType<NewTargetProps> | null>(null);

interface ReferencePickerProps {
  readonly label: string;
  /** `undefined` for a class that the person cannot read. Then the id is typed. */
  readonly target: ClassStructure | undefined;
  /** The id of the chosen object. */
  readonly value: string | null;
  /** `null` clears the choice. Without an object, the id was typed. */
  onChange(id: string | null, object?: ObjectRow): void;
  readonly disabled?: boolean;
  /** Whether the choice joins others. A typed id then counts when it is complete. */
  readonly isAdding?: boolean;
}

/** Chooses an object of a class by its title or id. The server searches. */
export function ReferencePicker({ target, ...props }: ReferencePickerProps) {
  if (target !== undefined) return <ObjectSelect target={target} {...props} />;
  const { label, value, onChange, disabled = false, isAdding = false } = props;
  if (isAdding) return <AddedId label={label} disabled={disabled} onAdd={onChange} />;
  return (
    <TextInput
      aria-label={label}
      value={value ?? ""}
      disabled={disabled}
      onChange={({ currentTarget }) => onChange(currentTarget.value.trim() || null)}
    />
  );
}

interface AddedIdProps {
  readonly label: string;
  readonly disabled: boolean;
  onAdd(id: string): void;
}

/** A typed id, which Enter or the way out of the field adds. */
function AddedId({ label, disabled, onAdd }: AddedIdProps) {
  const texts = useTexts();
  const [text, setText] = useState("");
  const id = objectIdOf(text.trim());
  const isWrong = text.trim() !== "" && id === null;
  const add = () => {
    if (id !== null) onAdd(id);
  };
  return (
    <TextInput
      aria-label={label}
      placeholder={texts.objects.id}
      value={text}
      disabled={disabled}
      error={isWrong && texts.objects.idHelp}
      onChange={({ currentTarget }) => setText(currentTarget.value)}
      onBlur={add}
      onKeyDown={(event) => {
        if (event.key !== "Enter") return;
        // It saves no form.
        event.preventDefault();
        add();
      }}
    />
  );
}

type ObjectSelectProps = Omit<ReferencePickerProps, "target"> & { readonly target: ClassStructure };

function ObjectSelect({ label, target, value, onChange, disabled = false }: ObjectSelectProps) {
  const texts = useTexts();
  const connection = useConnection();
  const { data: classes = [] } = useClasses();
  const NewTarget = useContext(NewTargetDialog);
  const [isCreating, creation] = useDisclosure(false);
  const title = titlePathOf(target, classes);
  const [text, setText] = useState("");
  const fields = title === null ? [] : [title];
  const titleText = (row: ObjectRow) => titleOf(row, title);
  const { data: chosen } = useQuery({
    queryKey: ["objects", target.name, "title", value],
    queryFn: ({ signal }) =>
      connection.work((data) =>
        data.getObject<ObjectRow>(value ?? "", { signal, serialization: { type: "custom", fields } }),
      ),
    enabled: value !== null,
  });
  const [sought] = useDebouncedValue(chosen !== undefined && text === titleText(chosen) ? "" : text.trim(), 250);
  const { data: page } = useQuery({
    queryKey: ["objects", target.name, "picker", sought],
    queryFn: ({ signal }) =>
      connection.work((data) =>
        data.listObjects<ObjectRow>(target.name, {
          query: {
            ...(sought === "" ? {} : { where: soughtBy(sought, title, { target, classes }) }),
            ...(title === null ? {} : { sort: [title] }),
          },
          perPage: offered,
          count: "none",
          serialization: { type: "custom", fields },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  });
  const rows = new Map((page?.["~Elements"] ?? []).map((row) => [row["~ObjectID"], row]));
  if (chosen !== undefined && value !== null) rows.set(value, chosen);
  const labels = Array.from(rows, ([id, row]) => ({ value: id, label: titleText(row) }));
  if (value !== null && !rows.has(value)) labels.unshift({ value, label: value });
  const select = (
    <Select
      flex={1}
      miw={200}
      aria-label={label}
      placeholder={texts.objects.find(target.name)}
      data={labels}
      filter={({ options }) => options}
      value={value}
      onChange={(id) => onChange(id, id === null ? undefined : rows.get(id))}
      searchable
      searchValue={text}
      onSearchChange={setText}
      nothingFoundMessage={texts.lists.nothingFound}
      clearable
      clearButtonProps={{ "aria-label": texts.objects.clear(label) }}
      disabled={disabled}
    />
  );
  if (NewTarget === null || disabled || !target.permissions.includes("create")) return select;
  return (
    <Group gap="xs">
      {select}
      <Button
        variant="default"
        leftSection={<IconPlus size={16} />}
        aria-label={texts.objects.createTargetFor(target.name, label)}
        onClick={creation.open}
      >
        {texts.objects.createTarget(target.name)}
      </Button>
      {isCreating && (
        <NewTarget
          target={target}
          all={classes}
          label={label}
          onCreated={(row) => {
            creation.close();
            onChange(row["~ObjectID"], row);
          }}
          onClose={creation.close}
        />
      )}
    </Group>
  );
}

function soughtBy(
  text: string,
  title: string | null,
  { target, classes }: { readonly target: ClassStructure; readonly classes: readonly ClassStructure[] },
) {
  const isText = title !== null && stepsOf(title, target, classes).at(-1)?.column?.type === "string";
  const byId = /^[0-9a-z]{1,12}$/i.test(text) ? [{ "~ObjectID": text.toUpperCase() }] : [];
  return { $or: [...(isText ? [{ [title]: { $contains: text } }] : []), ...byId] };
}

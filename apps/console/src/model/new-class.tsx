import { Select, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTexts } from "../language/language.tsx";
import { DialogButton, DialogForm } from "../page-parts/dialog.tsx";
import { noEdit } from "./model-edits.ts";
import { useModelEditing } from "./model-editing.ts";

/** A button that adds a class to the edits, and opens its form. */
export function NewClass() {
  const texts = useTexts();
  return <DialogButton name={texts.model.create}>{(close) => <NewClassForm onClose={close} />}</DialogButton>;
}

/** A letter, then letters, digits and `_`, with a lowercase letter. */
const isClassName = (text: string): boolean => /^(?=.*[a-z])[A-Za-z]\w{0,62}$/.test(text);

function NewClassForm({ onClose }: { onClose(): void }) {
  const texts = useTexts();
  const navigate = useNavigate();
  const { states, edit } = useModelEditing();
  const [name, setName] = useState("");
  const [base, setBase] = useState<string | null>(null);
  const isTaken = states.has(name);
  const isWrong = name !== "" && !isClassName(name);
  const submit = () => {
    onClose();
    edit(name, () => ({ ...noEdit, base }));
    void navigate({ to: "/model/classes/$className", params: { className: name } });
  };
  return (
    <DialogForm
      submit={texts.common.create}
      isDisabled={name === "" || isTaken || isWrong}
      isPending={false}
      error={null}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        label={texts.common.name}
        description={texts.model.classNameHelp}
        error={isTaken ? texts.model.nameTaken : isWrong && texts.model.wrongName}
        required
        autoComplete="off"
        data-autofocus
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <BaseSelect value={base} offered={[...states.keys()]} onChange={setBase} />
    </DialogForm>
  );
}

interface BaseSelectProps {
  readonly value: string | null;
  readonly offered: readonly string[];
  readonly disabled?: boolean;
  onChange(base: string | null): void;
}

/** Classes that a list offers at a time. */
const offeredClasses = 50;

/** Chooses the base of a class, or none. */
export function BaseSelect({ value, offered, disabled = false, onChange }: BaseSelectProps) {
  const texts = useTexts();
  return (
    <Select
      label={texts.model.base}
      description={texts.model.baseHelp}
      placeholder={texts.common.none}
      data={offered}
      limit={offeredClasses}
      searchable
      clearable
      clearButtonProps={{ "aria-label": texts.model.noBase }}
      disabled={disabled}
      nothingFoundMessage={texts.lists.nothingFound}
      value={value}
      onChange={onChange}
    />
  );
}

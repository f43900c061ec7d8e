import { Checkbox, Select, TextInput } from "@mantine/core";
import type { AttributeDefinition } from "@sallyport/client";
import { useState } from "react";
import { useTexts } from "../language/language.tsx";
import { Dialog, DialogForm } from "../page-parts/dialog.tsx";
import { deleteRuleOf, isLink } from "./model-edits.ts";

const types = ["string", "number", "boolean", "date", "json", "file", "reference", "collection"] as const;
const deleteRules = ["refuse", "clear", "cascade"] as const;

/** Classes that a list offers at a time. */
const offeredClasses = 50;

interface AttributeFormProps {
  /** `null` for a new one. */
  readonly attribute: AttributeDefinition | null;
  /** Whether the server has it: its name cannot change then. */
  readonly isStored: boolean;
  /** Attributes of the class, inherited ones among them. */
  readonly taken: ReadonlyMap<string, AttributeDefinition>;
  readonly classNames: readonly string[];
  onClose(): void;
  /** Takes the name before the change, `null` for a new attribute, and the definition. */
  onSubmit(former: string | null, attribute: AttributeDefinition): void;
}

interface AttributeDialogProps extends Omit<AttributeFormProps, "attribute"> {
  /** `null` closes the dialog. */
  readonly opened: AttributeDefinition | "new" | null;
}

/** The definition of an attribute. */
export function AttributeDialog({ opened, ...form }: AttributeDialogProps) {
  const texts = useTexts();
  return (
    <Dialog
      title={opened === "new" || opened === null ? texts.model.addAttribute : texts.model.attribute(opened.name)}
      isOpen={opened !== null}
      onClose={form.onClose}
    >
      <AttributeForm {...form} attribute={opened === "new" ? null : opened} />
    </Dialog>
  );
}

/** What the server accepts as a name. */
const isAttributeName = (text: string): boolean =>
  /^[A-Za-z]\w{0,62}$/.test(text) && text !== "constructor" && text !== "prototype";

/** The definition without members that its type does not have. */
function fitting(attribute: AttributeDefinition): AttributeDefinition {
  const { name, type, target, mandatory = false, indexed = false, read } = attribute;
  const isTargeted = type === "reference" || type === "collection";
  const isIndexable = type !== "json" && type !== "collection";
  const rule = deleteRuleOf(attribute);
  // A value that must be there cannot be cleared.
  const isCleared = rule === "clear" && mandatory && type !== "collection";
  return {
    name,
    type,
    ...(isTargeted ? { target } : {}),
    mandatory,
    indexed: indexed && isIndexable,
    ...(isLink(attribute) ? { onDelete: isCleared ? "refuse" : rule } : {}),
    ...(read === undefined || mandatory ? {} : { read }),
  };
}

function AttributeForm({ attribute, isStored, taken, classNames, onClose, onSubmit }: AttributeFormProps) {
  const texts = useTexts();
  const [values, setValues] = useState<AttributeDefinition>(attribute ?? { name: "", type: "string" });
  const edit = (changed: Partial<AttributeDefinition>) => setValues({ ...values, ...changed });
  const { name, type, target, mandatory = false, indexed = false } = values;
  const isTargeted = type === "reference" || type === "collection";
  const isTaken = name !== attribute?.name && taken.has(name);
  const isWrong = name !== "" && !isAttributeName(name);
  const submit = () => {
    onSubmit(attribute?.name ?? null, fitting(values));
    onClose();
  };
  return (
    <DialogForm
      submit={attribute === null ? texts.model.add : texts.model.take}
      isDisabled={name === "" || isTaken || isWrong || (isTargeted && target === undefined)}
      isPending={false}
      error={null}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        label={texts.common.name}
        description={isStored ? texts.model.storedNameHelp : texts.model.nameHelp}
        error={isTaken ? texts.model.nameTaken : isWrong && texts.model.wrongName}
        required
        readOnly={isStored}
        autoComplete="off"
        data-autofocus
        value={name}
        onChange={({ currentTarget }) => edit({ name: currentTarget.value })}
      />
      <Select
        label={texts.model.type}
        data={types.map((value) => ({ value, label: texts.model.types[value] }))}
        allowDeselect={false}
        value={type}
        onChange={(value) => edit({ type: value as AttributeDefinition["type"] })}
      />
      {isTargeted && (
        <Select
          label={texts.model.target}
          description={texts.model.targetHelp}
          required
          searchable
          limit={offeredClasses}
          data={classNames}
          nothingFoundMessage={texts.lists.nothingFound}
          value={target ?? null}
          onChange={(value) => edit({ target: value ?? undefined })}
        />
      )}
      <Checkbox
        label={texts.model.mandatory}
        description={texts.model.mandatoryHelp}
        checked={mandatory}
        onChange={({ currentTarget }) => edit({ mandatory: currentTarget.checked })}
      />
      {type !== "json" && type !== "collection" && (
        <Checkbox
          label={texts.model.indexed}
          description={texts.model.indexedHelp}
          checked={indexed}
          onChange={({ currentTarget }) => edit({ indexed: currentTarget.checked })}
        />
      )}
      {isLink(values) && (
        <Select
          label={texts.model.deleteRule}
          data={deleteRules
            .filter((rule) => rule !== "clear" || !mandatory || type === "collection")
            .map((value) => ({ value, label: texts.model.deleteRules[value] }))}
          allowDeselect={false}
          value={fitting(values).onDelete ?? null}
          onChange={(value) => edit({ onDelete: value as AttributeDefinition["onDelete"] })}
        />
      )}
    </DialogForm>
  );
}

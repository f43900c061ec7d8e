import { Skeleton, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { AdministeredGroupData } from "@sallyport/client/admin";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useConnection } from "../connection/connection-context.tsx";
import { useTexts } from "../language/language.tsx";
import { Dialog, DialogForm } from "../page-parts/dialog.tsx";
import { FailureDetails, showSuccess } from "../notices/notices.tsx";

/** A group to change, or a new one without an id. */
export type EditedGroup = Pick<AdministeredGroupData, "groupId"> | { readonly groupId: null };

interface GroupDialogProps {
  /** `null` closes the dialog. */
  readonly edited: EditedGroup | null;
  onClose(): void;
}

export function GroupDialog({ edited, onClose }: GroupDialogProps) {
  const texts = useTexts();
  return (
    <Dialog
      isOpen={edited !== null}
      title={edited?.groupId === null ? texts.groups.create : texts.groups.change}
      onClose={onClose}
    >
      {edited?.groupId === null && <GroupForm group={null} onClose={onClose} />}
      {typeof edited?.groupId === "string" && <LoadedGroup groupId={edited.groupId} onClose={onClose} />}
    </Dialog>
  );
}

/** Reads the current state of the group, whose version the change names. */
function LoadedGroup({ groupId, onClose }: { readonly groupId: string; onClose(): void }) {
  const connection = useConnection();
  const { data, error } = useQuery({
    queryKey: ["groups", groupId],
    queryFn: ({ signal }) => connection.administer((admin) => admin.groups.get(groupId, { signal })),
  });
  if (data !== undefined) return <GroupForm group={data} onClose={onClose} />;
  return error === null ? <Skeleton height={120} /> : <FailureDetails error={error} />;
}

function GroupForm({ group, onClose }: { readonly group: AdministeredGroupData | null; onClose(): void }) {
  const texts = useTexts();
  const connection = useConnection();
  const queries = useQueryClient();
  const form = useForm({ initialValues: { name: group?.name ?? "", description: group?.description ?? "" } });
  const { mutate, isPending, error } = useMutation({
    mutationFn: ({ name, description }: typeof form.values) => {
      const values = { name, description: description === "" ? null : description };
      return connection.administer((admin) =>
        group === null
          ? admin.groups.create(values)
          : admin.groups.change(
              group.groupId,
              {
                ...(name === group.name ? {} : { name }),
                ...(values.description === group.description ? {} : { description: values.description }),
              },
              { ifMatch: group },
            ),
      );
    },
    onSuccess: async ({ name }) => {
      onClose();
      await queries.invalidateQueries({ queryKey: ["groups"] });
      showSuccess(texts.groups.saved(name));
    },
  });
  return (
    <DialogForm
      submit={group === null ? texts.common.create : texts.common.save}
      isDisabled={!form.isDirty()}
      isPending={isPending}
      error={error}
      failure={texts.notices.saveFailed}
      onSubmit={form.onSubmit((values) => mutate(values))}
      onClose={onClose}
    >
      <TextInput label={texts.common.name} required data-autofocus autoComplete="off" {...form.getInputProps("name")} />
      <TextInput label={texts.common.description} {...form.getInputProps("description")} />
    </DialogForm>
  );
}

import { Modal } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useState } from "react";
import { useTexts } from "../language/language.tsx";
import { Dialog } from "../page-parts/dialog.tsx";
import { ObjectForm } from "./form/object-form.tsx";
import { type NewTargetProps, NewTargetDialog } from "./form/reference-picker.tsx";
import { newObject } from "./list-state.ts";

/** The form of a new object, for a reference to it. Nothing is created before the person saves it. */
export function NewObjectDialog({ target, all, label, onCreated, onClose }: NewTargetProps) {
  const texts = useTexts();
  const isNarrow = useMediaQuery("(max-width: 30em)");
  const [isAsked, setAsked] = useState(false);
  return (
    <Modal.Stack>
      <Dialog
        isOpen
        size="xl"
        fullScreen={isNarrow}
        title={texts.objects.newOf(target.name)}
        onClose={() => setAsked(true)}
      >
        {/* One form above another is enough for a person to know where they are. */}
        <NewTargetDialog value={null}>
          <ObjectForm
            structure={target}
            all={all}
            objectId={`${newObject} ${label}`}
            row={null}
            closing={{ isAsked, onStay: () => setAsked(false), onLeave: onClose }}
            onSaved={onCreated}
          />
        </NewTargetDialog>
      </Dialog>
    </Modal.Stack>
  );
}

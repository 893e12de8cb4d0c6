// Fields that name something: a function, an agent, a flow, somebody, who is told, another step.

import { useMemo } from "react";
import { displayName, kindOf, referencePath } from "../../app/describe";
import { t } from "../../app/start";
import { crosses } from "../../model/checks";
import { isObj, isText } from "../../model/json";
import { END, treeOf } from "../../model/tree";
import { useApp, useSession } from "../hooks";
import { Combo, type Option } from "./Combo";
import { useForm, type ControlProps } from "./common";

export function Reference({ id, field, value, set, isInvalid, describedBy }: ControlProps): React.JSX.Element {
  const { session } = useApp();
  const { catalogue } = session.start;
  const options = useMemo((): Option[] => {
    switch (field.type) {
      case "function": return catalogue.functions.map((each) => ({ value: each.path, word: each.title, help: each.description || each.path, icon: each.effect === "read" ? "eye" : "square-function" }));
      case "agent": return catalogue.agents.map((each) => ({ value: each.path, word: each.title, help: each.description || each.path, icon: "bot" }));
      case "flow": return catalogue.flows.filter((each) => each.path !== session.start.path).map((each) => ({ value: each.path, word: each.title, help: each.description || each.path, icon: "workflow" }));
      default: return [
        ...catalogue.people.map((each) => ({ value: each.path, word: each.title, help: t(each.is_group ? "group" : "person"), icon: each.is_group ? "users-round" : "user-round" })),
        ...catalogue.agents.map((each) => ({ value: each.path, word: each.title, help: t("agent"), icon: "bot" })),
      ];
    }
  }, [catalogue, field.type, session.start.path]);
  // a reference written as an object keeps its form: only the path in it changes
  const change = (path: string | undefined): void => set(isObj(value) && path !== undefined ? { ...value, "raisin:path": path } : path);
  return <Combo id={id} value={isText(value) ? value : referencePath(value)} options={options} set={change} isInvalid={isInvalid} describedBy={describedBy} isFree placeholder={t(`choose_${field.type}`)} />;
}

/** Who is told: a name, which may be set up later. */
export function Target({ id, value, set, isInvalid, describedBy }: ControlProps): React.JSX.Element {
  const { session } = useApp();
  const options = session.start.catalogue.targets.map((each): Option => ({ value: each.name, word: each.name, help: each.description || each.kind, icon: "bell" }));
  return <Combo id={id} value={isText(value) ? value : ""} options={options} set={set} isInvalid={isInvalid} describedBy={describedBy} isFree isName placeholder={t("choose_target")} />;
}

/** Where a jump leads: every step of the same graph, and the end. */
export function StepChoice({ id, field, value, set, isInvalid, describedBy }: ControlProps): React.JSX.Element {
  const { session } = useApp();
  const { place } = useForm();
  const document = useSession((state) => state.document);
  const tree = treeOf(document);
  const catalogue = session.start.catalogue;
  const own = place ? (tree.byKey.get(place.key) ?? null) : null;
  const rows = field.type === "child" ? (own?.children ?? []) : tree.places.filter((each) => own && each !== own && each.id && !crosses(own, each, "error"));
  const options: Option[] = rows.map((each) => ({ value: each.id, word: displayName(each, catalogue), help: kindOf(each, catalogue).word, icon: kindOf(each, catalogue).icon }));
  if (field.type === "step") options.push({ value: END, word: t("the_end"), icon: "circle-check" });
  return <Combo id={id} value={isText(value) ? value : ""} options={options} set={set} isInvalid={isInvalid} describedBy={describedBy} isFree={false} placeholder={t(field.type === "child" ? "choose_child" : "next_step_or_choose")} />;
}

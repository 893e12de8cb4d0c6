import { iconAddress } from "../app/start";

export function Icon({ name, className = "" }: { name: string; className?: string }): React.JSX.Element {
  return (
    <svg className={`icon ${className}`} aria-hidden="true" focusable="false">
      <use href={iconAddress(name)} />
    </svg>
  );
}

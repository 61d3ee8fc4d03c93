/** Buttons, chips and badges in the looks of the design. One primary button per card. */
import type { ComponentProps, ReactNode } from "react";
import { Icon, type IconName } from "./icon.tsx";

export interface ButtonProps extends ComponentProps<"button"> {
  readonly variant?: "primary" | "quiet" | "deny";
  readonly isSmall?: boolean;
  readonly icon?: IconName;
}

export function Button({ variant, isSmall = false, icon, className = "", children, ...rest }: ButtonProps) {
  const classes = ["btn", variant, isSmall ? "sm" : undefined, className].filter(Boolean).join(" ");
  return (
    <button type="button" className={classes} {...rest}>
      {icon === undefined ? null : <Icon name={icon} size="s" />}
      {children}
    </button>
  );
}

export interface IconButtonProps extends Omit<ComponentProps<"button">, "children"> {
  readonly icon: IconName;
  /** Its name for assistive technology, and its tooltip. */
  readonly label: string;
  readonly isOn?: boolean;
  readonly iconSize?: "s" | "m" | "l";
}

export function IconButton({ icon, label, isOn, iconSize = "m", className = "", ...rest }: IconButtonProps) {
  const classes = ["ib", isOn === true ? "on" : undefined, className].filter(Boolean).join(" ");
  return (
    <button type="button" className={classes} aria-label={label} title={label} aria-pressed={isOn} {...rest}>
      <Icon name={icon} size={iconSize} />
    </button>
  );
}

export interface ChipProps extends ComponentProps<"button"> {
  readonly icon?: IconName;
  /** Amber: members can change something. */
  readonly isEdit?: boolean;
}

export function Chip({ icon, isEdit = false, className = "", children, ...rest }: ChipProps) {
  return (
    <button type="button" className={["chip", isEdit ? "edit" : "", className].filter(Boolean).join(" ")} {...rest}>
      {icon === undefined ? null : <Icon name={icon} size="s" />}
      {children}
    </button>
  );
}

export interface BadgeProps {
  readonly tone?: "ok" | "warn" | "danger";
  readonly icon?: IconName;
  readonly children: ReactNode;
}

export function Badge({ tone, icon, children }: BadgeProps) {
  return (
    <span className={tone === undefined ? "badge" : `badge ${tone}`}>
      {icon === undefined ? null : <Icon name={icon} size="s" />}
      {children}
    </span>
  );
}

/** Where something that pops up from a button stands; the style keeps it inside the window. */
export function placeBelow(popover: HTMLElement, button: HTMLElement | null): void {
  const { left = 0, bottom = 0 } = button?.getBoundingClientRect() ?? {};
  popover.style.setProperty("--left", `${left}px`);
  popover.style.setProperty("--top", `${bottom}px`);
}

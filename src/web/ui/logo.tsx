/** The mark of the product: a round table and six around it. */
export function Logo() {
  return (
    <svg className="logo" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <circle className="logo-ring" cx="12" cy="12" r="5.6" />
      <circle data-hue="0" cx="12" cy="2.6" r="2.1" />
      <circle data-hue="1" cx="20.1" cy="7.3" r="2.1" />
      <circle data-hue="2" cx="20.1" cy="16.7" r="2.1" />
      <circle data-hue="3" cx="12" cy="21.4" r="2.1" />
      <circle className="logo-ink" cx="3.9" cy="16.7" r="2.1" />
      <circle data-hue="4" cx="3.9" cy="7.3" r="2.1" />
    </svg>
  );
}

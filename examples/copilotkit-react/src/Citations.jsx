/** What the agent is doing, and the sources of its last answer, as its state tells them. */
export function Citations({ state }) {
  return (
    <aside>
      <p className="status">{state.status}</p>
      <ul className="citations">
        {(state.citations ?? []).map((one) => (
          <li key={one.label}>
            {one.link ? <a href={one.link}>{one.title}</a> : <strong>{one.title}</strong>}
            <blockquote>{one.quote}</blockquote>
          </li>
        ))}
      </ul>
    </aside>
  );
}

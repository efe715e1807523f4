/** What the agent is doing, and the sources of its last answer, as its state tells them. */
export function Citations({ state }) {
  return (
    <aside>
      <p className="status">{state.status}</p>
      <ol className="citations">
        {(state.citations ?? []).map((one) => (
          <li key={one.label} value={one.number || undefined}>
            {one.link ? <a href={one.link}>{one.title}</a> : <strong>{one.title}</strong>}
            <blockquote>{one.quote}</blockquote>
          </li>
        ))}
      </ol>
    </aside>
  );
}

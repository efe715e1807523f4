/** What the agent is doing, and the sources of its last answer, as its state tells them. */
export function Citations({ state }) {
  const citations = state.citations ?? [];
  return (
    <aside>
      {state.step && <p className="step">{state.step}</p>}
      <ol className="citations">
        {citations.map((one, index) => (
          <li key={index}>
            {one.url ? <a href={one.url}>{one.title}</a> : <strong>{one.title}</strong>}
            <blockquote>{one.quote}</blockquote>
          </li>
        ))}
      </ol>
    </aside>
  );
}

/** Server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream */

export interface StreamEvent {
  readonly event: string
  readonly id: string
  readonly data: string
}

interface Silence {
  /** Milliseconds without anything, after which `onSilence` is called. */
  readonly after: number
  readonly onSilence: () => void
}

/** The events of a response, until its end. */
export async function* eventsIn(body: ReadableStream<Uint8Array>, silence: Silence): AsyncGenerator<StreamEvent> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const timer = setTimeout(silence.onSilence, silence.after)
      const { done, value } = await reader.read().finally(() => clearTimeout(timer))
      if (done) return
      const events = (rest + decoder.decode(value, { stream: true }).replaceAll('\r', '')).split('\n\n')
      rest = events.pop() ?? ''
      yield* events.map(eventOf)
    }
  } finally {
    // A reader that has enough leaves no connection open.
    await reader.cancel().catch(() => undefined)
  }
}

function eventOf(text: string): StreamEvent {
  const lines = text.split('\n').map((line) => /^(\w+): ?(.*)$/.exec(line))
  const valuesOf = (field: string) => lines.flatMap((line) => (line?.[1] === field ? [line[2] ?? ''] : [])).join('\n')
  return { event: valuesOf('event'), id: valuesOf('id'), data: valuesOf('data') }
}

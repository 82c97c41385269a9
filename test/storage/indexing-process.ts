/** A server that reindexes a store, slowly, and says on stdout which resources. */
import { BY_COLOUR, extracting, openAs, say } from './people.ts'

const [url = ''] = process.argv.slice(2)

const store = await openAs(url, {
  extraction: extracting(2, BY_COLOUR, say),
  pace: { batch: 5, pause: 20, look: 20, lease: 500 },
  onIndexing: ({ state }) => {
    if (state === 'is complete') say('complete')
  },
})
// The store alone does not keep a process.
const running = setInterval(() => {}, 1000)
process.once('SIGTERM', async () => {
  clearInterval(running)
  await store.close()
})

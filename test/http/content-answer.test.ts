/** Responses with contents in place of their markers: which contents are read, and when. */
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { type Contents, StoredContents } from '../../src/content/contents.ts'
import { contentMarker } from '../../src/fhir/content/marker.ts'
import { withContents } from '../../src/http/content-answer.ts'
import { openTestContentStore } from '../support/database.ts'
import { openTestRepository } from '../support/repository.ts'

const CLINIC = 'a'
const MEGABYTE = 1024 * 1024
const OPTIONS = { clinic: CLINIC, format: 'json', beyond: 'refused' } as const

/** The real contents, with the number of bytes read, and the reads under way. */
async function watched(): Promise<{ contents: Contents; read: () => number; open: () => number }> {
  const { repository } = await openTestRepository()
  const stored = new StoredContents(repository, await openTestContentStore())
  let [read, open] = [0, 0]
  const contents: Contents = {
    receive: (...parameters) => stored.receive(...parameters),
    facts: (...parameters) => stored.facts(...parameters),
    abandon: (...parameters) => stored.abandon(...parameters),
    read: async function* (...parameters) {
      open++
      try {
        for await (const piece of stored.read(...parameters)) {
          read += piece.length
          yield piece
        }
      } finally {
        open--
      }
    },
  }
  return { contents, read: () => read, open: () => open }
}

async function* bytes(size: number): AsyncGenerator<Uint8Array> {
  for (let left = size; left > 0; left -= 65_536) yield Buffer.alloc(Math.min(left, 65_536), left % 251)
}

async function answerOf(contents: Contents, size: number) {
  const { sha256 } = await contents.receive(CLINIC, bytes(size), size)
  const answer = await withContents(`{"x":"é",${contentMarker(sha256)}}`, contents, OPTIONS)
  if (answer === undefined) throw new Error('The text has a marker')
  return answer
}

describe('an answer with a content', () => {
  test.each([1, 2, 3, 100_000, 131_072, 131_073])(
    'of %d bytes has the length that it says, and its base64',
    async (size) => {
      const { contents } = await watched()
      const { bytes: length, stream } = await answerOf(contents, size)
      const sent = Buffer.concat(await Array.fromAsync(await stream()))
      expect(sent.length).toBe(length)
      const expected = Buffer.concat(await Array.fromAsync(bytes(size)))
      expect(JSON.parse(sent.toString())).toEqual({ x: 'é', data: expected.toString('base64') })
    },
  )

  test('is read as its client reads it, and not at all for its length alone', async () => {
    const { contents, read, open } = await watched()
    const { bytes: length, stream } = await answerOf(contents, 8 * MEGABYTE)
    expect([read(), open()]).toEqual([0, 0])
    const answer = await stream()
    answer.read()
    await pause(50)
    expect(read()).toBeLessThan(MEGABYTE)
    let sent = 0
    for await (const piece of answer) sent += piece.length
    expect([sent > 0.9 * length, open()]).toEqual([true, 0])
  })

  test('is not read any more once its client has left', async () => {
    const { contents, read, open } = await watched()
    const { stream } = await answerOf(contents, 8 * MEGABYTE)
    const answer = await stream()
    answer.read()
    answer.destroy()
    while (open() > 0) await pause(1)
    expect(read()).toBeLessThan(MEGABYTE)
  })

  test('that is not where it was stored fails before anything is sent', async () => {
    const { contents } = await watched()
    const answer = withContents(`{${contentMarker('0'.repeat(64))}}`, contents, OPTIONS)
    await expect(answer).rejects.toThrow('not where it was stored')
  })
})

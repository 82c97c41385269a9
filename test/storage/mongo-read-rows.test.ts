/** Pages of resources as MongoDB gives them, of which some are large. */
import { expect, test } from '@jest/globals'
import type { AbstractCursor } from 'mongodb'
import { Budget, OffloadRequired, withBudget } from '../../src/isolation/budget.ts'
import type { ResourceDocument } from '../../src/storage/mongo/collections.ts'
import { readRows } from '../../src/storage/mongo/read-rows.ts'
import { packText, unpackText } from '../../src/storage/mongo/stored-text.ts'
import type { StoredResource } from '../../src/storage/port.ts'

type Document = Pick<ResourceDocument, 'text'>

class Rows {
  unpacked = 0

  /** In the order of the texts, by a request that may move to a thread or not. */
  read(texts: readonly string[], canMove: boolean): Promise<{ readonly items: readonly object[] }> {
    const documents: Document[] = texts.map((text) => ({ text: packText(text) }))
    const cursor = {
      closed: true,
      hasNext: async () => documents.length > 0,
      readBufferedDocuments: (most: number) => documents.splice(0, most),
    }
    return withBudget(new Budget({ canMove }), () =>
      readRows(cursor as unknown as AbstractCursor<Document>, ({ text }) => {
        this.unpacked += 1
        return { resource: { text: unpackText(text) } as StoredResource }
      }),
    )
  }
}

const LARGE = `{"resourceType":"Basic","id":"${'x'.repeat(1024 * 1024)}"}`

test('a large one is unpacked in a thread, not by the event loop', async () => {
  const rows = new Rows()
  await expect(rows.read(['{}', LARGE], true)).rejects.toThrow(OffloadRequired)
  expect(rows.unpacked).toBe(1)
  expect((await rows.read(['{}', LARGE], false)).items).toHaveLength(2)
})

test('small ones are read where they are', async () => {
  expect((await new Rows().read(Array(40).fill('{}'), true)).items).toHaveLength(40)
})

/**
 * The thread that writes contents: without it, the socket, the copies made by the driver and their garbage took most of
 * the event loop during uploads. Its priority is low, so that reads come first where all cores are busy.
 */
import { startData } from '../../isolation/thread-entry.ts'
import { runSideThread } from '../side-thread.ts'
import type { PieceOrder } from './content-pieces.ts'
import { ContentWriter } from './content-writer.ts'

runSideThread({
  open: () => new ContentWriter(startData<string>()),
  write: (writer, piece: PieceOrder) => writer.write(piece),
})

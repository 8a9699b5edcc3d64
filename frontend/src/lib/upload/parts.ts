/** How a file is cut: parts of one size, numbered from 1, the last one being what is left. */

export interface Piece {
  readonly number: number;
  readonly start: number;
  readonly end: number;
}

export function piecesOf(size: number, partSize: number): Piece[] {
  const count = Math.ceil(size / partSize);
  return Array.from({ length: count }, (_, at) => ({
    number: at + 1,
    start: at * partSize,
    end: Math.min(size, (at + 1) * partSize),
  }));
}

export function missingPieces(size: number, partSize: number, arrived: readonly number[]): Piece[] {
  const there = new Set(arrived);
  return piecesOf(size, partSize).filter((piece) => !there.has(piece.number));
}

export const bytesOf = (pieces: readonly Piece[]): number =>
  pieces.reduce((sum, piece) => sum + piece.end - piece.start, 0);

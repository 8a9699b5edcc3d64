"""Items of each layout, the documents' own examples among them, and the files that hold such items."""

import gzip
import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from tests.migrate.rows import put_object

Items = Sequence[Mapping[str, Any]]

IMAGE_000: Final = "02df423f-0d45-4d59-b987-2ade841d0fbf"
TOGETHER_000: Final = "11111111-0d45-4d59-b987-2ade841d0fbf"
LAYOUT_000: Final[Items] = [
    {
        "PK": "example@gmail.com",
        "SK": "example@gmail.com",
        "entityType": "USER",
        "email": "example@gmail.com",
        "username": "Ja",
        "profilePicture": "profile-pictures/example@gmail.com/profile.jpg",
        "personId": "person123",
    },
    {
        "PK": IMAGE_000,
        "SK": "UPLOADED_BY#example@gmail.com",
        "assetType": "IMAGE",
        "entityType": "IMAGE",
        "imageId": IMAGE_000,
        "s3Key": f"originals/{IMAGE_000}.jpg",
        "uploadedBy": "example@gmail.com",
        "uploaded_datetime": "2025-08-01T09:24:22.159Z",
        "lastModified": "2025-08-01T09:24:28.957Z",
        "images": {
            "large": {"S": f"processed/{IMAGE_000}_large.webp"},
            "medium": {"S": f"processed/{IMAGE_000}_medium.webp"},
            "processedAt": {"S": "2025-08-01T09:24:28.957Z"},
        },
        "persons": [],
        "tags": [],
    },
    {
        "PK": TOGETHER_000,
        "SK": "UPLOADED_BY#bob@example.org",
        "assetType": "IMAGE",
        "entityType": "IMAGE",
        "imageId": TOGETHER_000,
        "s3Key": f"originals/{TOGETHER_000}.jpg",
        "uploadedBy": "bob@example.org",
        "uploaded_datetime": "2025-08-02T10:00:00.000Z",
        "lastModified": "2025-08-02T10:00:05.000Z",
        "persons": ["person1", "person2"],
        "tags": ["party", "évènement"],
    },
    {
        "PK": "PERSON#person1",
        "SK": "person1",
        "entityType": "PERSON",
        "displayName": "person1",
        "s3Key": "persons/person1.jpg",
        "createdAt": 1754040302,
    },
    {
        "PK": "PERSON#person2",
        "SK": "person2",
        "entityType": "PERSON",
        "displayName": "Carol",
        "s3Key": "persons/person2.jpg",
        "createdAt": 1754040303,
    },
    {
        "PK": IMAGE_000,
        "SK": "PERSON#person1",
        "entityType": "TAGGING#person1",
        "s3Key": f"processed/{IMAGE_000}_large.webp",
        "createdAt": 1754040302,
    },
    {"PK": TOGETHER_000, "SK": "PERSON#person1", "entityType": "TAGGING#person1", "createdAt": 1754040402},
    {"PK": TOGETHER_000, "SK": "PERSON#person2", "entityType": "TAGGING#person2", "createdAt": 1754040402},
    {"PK": "LIMIT#example@gmail.com", "SK": "example@gmail.com", "entityType": "DEFAULT_LIMIT", "limit": 42},
    {"PK": "UNKNOWN_PERSONS", "SK": "UNKNOWN_PERSONS", "entityType": "UNKNOWN_PERSONS", "limit": 2},
]

PHOTO_001: Final = "3b241101-e2bb-4255-8caf-4136c566a962"
LAYOUT_001: Final[Items] = [
    {
        "PK": "USER#email@example.com",
        "SK": "USER#email@example.com",
        "entityType": "user",
        "uploadedBy": "email@example.com",
        "displayName": "Emily",
        "uploadLimit": 77,
        "createdAt": "2025-01-02T03:04:05.000Z",
    },
    {
        "PK": f"PHOTO#{PHOTO_001}",
        "SK": "PHOTO#2025-03-04T05:06:07.089Z",
        "entityType": "photo",
        "uploadedBy": "email@example.com",
        "originalKey": f"originals/{PHOTO_001}.jpg",
        "thumbnailKey": f"thumbnails/{PHOTO_001}.jpg",
        "description": "On the beach",
        "tags": ["beach"],
        "persons": ["Anna"],
    },
    {"PK": "PERSON#Anna", "SK": "Anna", "entityType": "PERSON", "displayName": "Anna", "s3Key": "persons/Anna.jpg"},
    {
        "PK": PHOTO_001,
        "SK": "PERSON#Anna",
        "entityType": "TAGGING#Anna",
        "s3Key": f"originals/{PHOTO_001}.jpg",
    },
    {"PK": "UNKNOWN_PERSONS", "SK": "UNKNOWN_PERSONS", "entityType": "UNKNOWN_PERSONS", "limit": 1},
]

PHOTO_002: Final = "2dd4c2b0-8b6b-4b3d-9c8a-60d1d5d3d8aa"
BOX_002: Final = {"Left": Decimal("0.12"), "Top": Decimal("0.18"), "Width": Decimal("0.22"), "Height": Decimal("0.22")}
TABLES_002: Final[Mapping[str, Items]] = {
    "Photo": [
        {
            "photoId": PHOTO_002,
            "s3KeyRaw": f"uploads/raw/{PHOTO_002}.jpg",
            "uploadedAt": "2026-01-15T18:40:12Z",
            "status": "INDEXED",
            "faceCount": 3,
        },
        {
            "photoId": "3dd4c2b0-8b6b-4b3d-9c8a-60d1d5d3d8aa",
            "s3KeyRaw": "uploads/raw/3dd4c2b0-8b6b-4b3d-9c8a-60d1d5d3d8aa.jpg",
            "uploadedAt": "2026-01-15T18:41:12Z",
            "status": "RAW",
            "uploaderTag": "table 4",
            "contentType": "image/jpeg",
        },
    ],
    "FaceOccurrence": [
        {
            "faceId": "face-abc123",
            "photoId": PHOTO_002,
            "thumbS3Key": "faces/thumbs/face-abc123.jpg",
            "bbox": BOX_002,
            "confidence": Decimal("99.1"),
            "indexedAt": "2026-01-15T18:40:20Z",
            "gsi1pk": PHOTO_002,
            "gsi1sk": "face-abc123",
        }
    ],
    "Cluster": [
        {
            "clusterId": "c-0012",
            "repFaceId": "face-abc123",
            "repThumbS3Key": "faces/thumbs/face-abc123.jpg",
            "memberCount": 17,
            "photoCount": 96,
            "updatedAt": "2026-01-15T19:21:52Z",
        },
        {"clusterId": "c-0001", "memberCount": 0, "photoCount": 0, "canonicalClusterId": "c-0012"},
    ],
    "ClusterMember": [
        {
            "clusterId": "c-0012",
            "faceId": "face-abc123",
            "addedAt": "2026-01-15T19:10:00Z",
            "gsi1pk": "face-abc123",
            "gsi1sk": "c-0012",
        }
    ],
    "ClusterPhoto": [{"clusterId": "c-0012", "photoId": PHOTO_002, "addedAt": "2026-01-15T19:12:33Z"}],
    "JobState": [
        {
            "jobName": "incremental-rebuild",
            "lastProcessedAt": "2026-01-15T19:21:52Z",
            "lastRunAt": "2026-01-15T19:22:11Z",
        }
    ],
}
LAYOUT_002: Final[Items] = [item for items in TABLES_002.values() for item in items]

LAYOUT_003: Final[Items] = [
    {
        "username": "kgregory",
        "id": "7d6d4a80-0c6e-4f3b-8f1c-0e6a52a5a8aa",
        "filename": "IMG_0001.JPG",
        "description": "My dog",
        "mimetype": "image/jpeg",
        "uploadedAt": 1621771800123,
        "sizes": ["ORIGINAL", "FULLSIZE", "THUMBNAIL"],
    },
    {
        "username": "ann@example.org",
        "id": "8d6d4a80-0c6e-4f3b-8f1c-0e6a52a5a8aa",
        "filename": "cat.png",
        "mimetype": "image/png",
        "uploadedAt": 1621771900123,
        "sizes": ["W0200xH0150", "W1600xH1200", "W0800xH0600"],
    },
]

ULID_004: Final = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
USER_004: Final = "7f0c1a2b-0000-4000-8000-000000000001"
ALBUM_004: Final = "01ARZ3NDEKTSV4RRFFQ69G5FAX"
LAYOUT_004: Final[Items] = [
    {
        "PK": f"IMAGE#{ULID_004}",
        "SK": "METADATA",
        "GSI1PK": f"USER#{USER_004}",
        "GSI1SK": "UPLOADED#2025-01-15T10:30:00Z",
        "GSI2PK": f"ALBUM#{ALBUM_004}",
        "GSI2SK": "UPLOADED#2025-01-15T10:30:00Z",
        "id": ULID_004,
        "userId": USER_004,
        "albumId": ALBUM_004,
        "originalFilename": "castle.jpg",
        "mimeType": "image/jpeg",
        "fileSize": 12345,
        "width": 640,
        "height": 480,
        "aspectRatio": Decimal("1.3333333333333333"),
        "s3Key": f"images/{USER_004}/{ULID_004}.webp",
        "s3Bucket": "images-lego-moc-prod",
        "thumbnailKey": f"images/{USER_004}/thumbnails/{ULID_004}.webp",
        "imageUrl": f"https://d123.cloudfront.net/images/{USER_004}/{ULID_004}.webp",
        "thumbnailUrl": f"https://d123.cloudfront.net/images/{USER_004}/thumbnails/{ULID_004}.webp",
        "processingStatus": "completed",
        "format": "webp",
        "quality": 85,
        "title": "Castle",
        "description": None,
        "altText": "A castle of bricks",
        "tags": ["minifig", "castle"],
        "createdAt": "2025-01-15T10:30:00.000Z",
        "updatedAt": "2025-01-16T10:30:00.000Z",
        "uploadedAt": "2025-01-15T10:30:00.000Z",
        "version": 1,
    },
    {
        "PK": "IMAGE#01ARZ3NDEKTSV4RRFFQ69G5FAW",
        "SK": "METADATA",
        "id": "01ARZ3NDEKTSV4RRFFQ69G5FAW",
        "userId": USER_004,
        "s3Key": "gone",
        "createdAt": "2025-01-15T10:30:00.000Z",
        "ttl": 1600000000,
    },
]

LAYOUTS: Final[Mapping[str, Items]] = {
    "000": LAYOUT_000,
    "001": LAYOUT_001,
    "002": LAYOUT_002,
    "003": LAYOUT_003,
    "004": LAYOUT_004,
}
OBJECTS: Final[Mapping[str, Sequence[str]]] = {
    "000": [f"originals/{IMAGE_000}.jpg", f"originals/{TOGETHER_000}.jpg"],
    "001": [f"originals/{PHOTO_001}.jpg"],
    "002": [str(each["s3KeyRaw"]) for each in TABLES_002["Photo"]],
    "003": [f"images/{LAYOUT_003[0]['id']}/ORIGINAL", f"images/{LAYOUT_003[1]['id']}/W1600xH1200"],
    "004": [str(LAYOUT_004[0]["s3Key"])],
}


def typed(value: Any) -> dict[str, Any]:
    """A value in DynamoDB's typed JSON."""
    match value:
        case None:
            return {"NULL": True}
        case bool():
            return {"BOOL": value}
        case int() | Decimal():
            return {"N": str(value)}
        case str():
            return {"S": value}
        case list():
            return {"L": [typed(each) for each in value]}
    return {"M": typed_item(value)}


def typed_item(item: Mapping[str, Any]) -> dict[str, Any]:
    return {name: typed(value) for name, value in item.items()}


def write_scan(file: Path, items: Items) -> Path:
    """As `aws dynamodb scan > FILE` writes it."""
    document = {"Items": [typed_item(each) for each in items], "Count": len(items), "ScannedCount": len(items)}
    file.write_text(json.dumps({**document, "ConsumedCapacity": None}, indent=4), encoding="utf-8")
    return file


def write_export(folder: Path, items: Items) -> Path:
    """As DynamoDB exports a table to S3: data files beside their manifests."""
    export = folder / "AWSDynamoDB" / "01693685827463-2d8752fd"
    (export / "data").mkdir(parents=True)
    (export / "manifest-summary.json").write_text('{"version": "2020-06-30", "outputFormat": "DYNAMODB_JSON"}')
    (export / "manifest-files.json").write_text('{"itemCount": 1, "dataFileS3Key": "AWSDynamoDB/..."}\n')
    for number, some in enumerate((items[::2], items[1::2])):
        lines = "".join(json.dumps({"Item": typed_item(each)}, separators=(",", ":")) + "\n" for each in some)
        (export / "data" / f"part{number}.json.gz").write_bytes(gzip.compress(lines.encode()))
    return folder


def put_objects(folder: Path, layout: str) -> Path:
    """The objects of a layout, each in bytes of its own."""
    folder.mkdir(exist_ok=True)
    for key in OBJECTS[layout]:
        put_object(folder, key, key)
    return folder
